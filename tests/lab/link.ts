import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { reset } from '../support/reset.js';

/** The treatment of bytes in transit. */
export type LinkState =
  | { readonly kind: 'open' }
  /** Connections are reset, and new ones too. */
  | { readonly kind: 'cut' }
  /** Nothing passes; what was sent meanwhile arrives when the link opens. */
  | { readonly kind: 'paused' }
  | { readonly kind: 'slow'; readonly delayMs: number };

interface Pair {
  readonly caller: Socket;
  readonly callee: Socket;
}

/** A way from one part to what it calls, which can be cut, paused and slowed down. */
export class Link {
  readonly #server: Server;
  readonly #target: number;
  readonly #pairs = new Set<Pair>();
  /** Callbacks that wait for the link to open. */
  readonly #waiting = new Set<() => void>();
  #state: LinkState = { kind: 'open' };

  private constructor(server: Server, target: number) {
    this.#server = server;
    this.#target = target;
    server.on('connection', (caller: Socket) => {
      this.#accept(caller);
    });
  }

  /** @param target port of the loopback that the link leads to */
  static async open(target: number): Promise<Link> {
    const server = createServer({ allowHalfOpen: true });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Link(server, target);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port; // a listening TCP server's address is an AddressInfo
  }

  set(state: LinkState): void {
    this.#state = state;
    if (state.kind === 'cut') this.#reset();
    if (state.kind === 'paused') return;
    for (const goOn of this.#waiting) goOn();
    this.#waiting.clear();
  }

  close(): void {
    this.#server.close();
    this.#reset();
  }

  #reset(): void {
    for (const { caller, callee } of this.#pairs) {
      reset(caller);
      reset(callee);
    }
    this.#pairs.clear();
  }

  #accept(caller: Socket): void {
    if (this.#state.kind === 'cut') {
      reset(caller);
      return;
    }
    caller.setNoDelay(true);
    const callee = connect({
      port: this.#target,
      host: '127.0.0.1',
      allowHalfOpen: true,
      noDelay: true,
    });
    const pair = { caller, callee };
    this.#pairs.add(pair);
    this.#pass(caller, callee);
    this.#pass(callee, caller);
    caller.on('close', () => this.#pairs.delete(pair));
  }

  #pass(from: Socket, to: Socket): void {
    // One after the other: bytes never overtake bytes.
    let before = Promise.resolve();
    const then = (act: () => void): void => {
      before = before.then(() => this.#way()).then(act);
    };
    from.on('data', (bytes) => {
      from.pause();
      then(() => {
        if (!to.destroyed) to.write(bytes);
        from.resume();
      });
    });
    from.on('end', () => {
      then(() => {
        to.end();
      });
    });
    from.on('error', () => {
      reset(to);
    });
    from.on('close', () => {
      then(() => {
        to.destroySoon();
      });
    });
  }

  /** Resolves when bytes may pass. */
  async #way(): Promise<void> {
    while (this.#state.kind === 'paused')
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    if (this.#state.kind !== 'slow') return;
    const { delayMs } = this.#state;
    await new Promise((resolve) => setTimeout(resolve, delayMs));
  }
}
