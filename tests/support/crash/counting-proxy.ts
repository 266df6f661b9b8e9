import {
  Agent,
  createServer,
  type IncomingMessage,
  request as ask,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, type Socket } from 'node:net';

type Fields = Readonly<Record<string, unknown>>;

/** Where a write is stopped: before the inventory has it, or after it has answered and before the conductor knows. */
export type Moment = 'before' | 'after';

/** One persisted step, numbered from 1 among the writes about its node. */
export interface Point {
  readonly n: number;
  readonly moment: Moment;
}

/** A write of the conductor about a node. */
export interface Write {
  readonly method: string;
  /** Path below the node's, `''` for the node itself. */
  readonly below: string;
  readonly body: Fields;
  /** Milliseconds since the node is watched. */
  readonly at: number;
  /** The inventory's answer; undefined when the request was never sent to it. */
  status: number | undefined;
}

/** The recorded writes of one node. */
export interface Watch {
  readonly writes: readonly Write[];
  /** True while the write at the point is stopped. */
  readonly isPaused: () => boolean;
  /** Stops the n-th write from now on; the count begins anew. */
  readonly arm: (point: Point | undefined) => void;
}

interface Watched extends Watch {
  readonly ids: readonly string[];
  readonly writes: Write[];
  since: number;
  point: Point | undefined;
  count: number;
  isWritePaused: boolean;
}

interface Counted {
  readonly watched: Watched;
  readonly write: Write;
  readonly stop: Moment | undefined;
}

interface Answered {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

const WRITES = new Set(['POST', 'PUT', 'PATCH']);

const bodyIn = (bytes: Buffer): Fields =>
  bytes.length === 0 ? {} : (JSON.parse(bytes.toString('utf8')) as Fields);

/**
 * A proxy between a conductor and the inventory: passes every byte on as it is, counts the conductor's writes about the
 * nodes that are watched, and stops one of them on request.
 */
export class CountingProxy {
  readonly #target: string;
  readonly #server: Server;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #watched: Watched[] = [];
  /** The stopped writes, and how each goes on: with its answer, or without. */
  readonly #paused = new Map<Socket, () => void>();
  #heartbeats = 0;
  #silent = false;

  private constructor(target: string) {
    this.#target = target;
    this.#server = createServer((request, response) => {
      this.#pass(request, response).catch(() => request.socket.destroy());
    });
  }

  /** @param target the inventory's address */
  static async open(target: string): Promise<CountingProxy> {
    const proxy = new CountingProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`;
  }

  /** Watches the writes whose path names one of the ids. */
  watch(ids: readonly string[]): Watch {
    const watched: Watched = {
      ids,
      writes: [],
      since: performance.now(),
      point: undefined,
      count: 0,
      isWritePaused: false,
      isPaused: () => watched.isWritePaused,
      arm: (point) => {
        watched.since = performance.now();
        watched.point = point;
        watched.count = 0;
        watched.isWritePaused = false;
      },
    };
    this.#watched.push(watched);
    return watched;
  }

  /** Breaks the connections of everything that is stopped, and forgets all points. */
  drop(): void {
    for (const watched of this.#watched) watched.arm(undefined);
    for (const socket of this.#paused.keys()) socket.destroy();
    this.#paused.clear();
  }

  /** Delivers the answers that were stopped; a request that was never sent gets none. Forgets all points. */
  deliver(): void {
    for (const goOn of this.#paused.values()) goOn();
    this.#paused.clear();
    this.drop();
  }

  /** Reports of conductors that came this way. */
  get heartbeats(): number {
    return this.#heartbeats;
  }

  /** While silent, nothing is passed on and nothing is answered. */
  silence(isSilent: boolean): void {
    this.#silent = isSilent;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    this.#agent.destroy();
    await closed;
  }

  /** Counts a write; undefined when it is none, or about nothing that is watched. */
  #count(request: IncomingMessage, bytes: Buffer): Counted | undefined {
    const { method = '', url = '' } = request;
    if (!WRITES.has(method)) return undefined;
    const path = decodeURIComponent(url.split('?')[0] ?? '');
    const watched = this.#watched.find(({ ids }) => ids.some((id) => path.includes(id)));
    if (watched === undefined) return undefined;
    const below = path.replace(/^\/internal\/nodes\/[^/]+/u, '');
    const at = performance.now() - watched.since;
    const write = { method, below, body: bodyIn(bytes), at, status: undefined };
    watched.writes.push(write);
    watched.count += 1;
    const { point } = watched;
    return { watched, write, stop: point?.n === watched.count ? point.moment : undefined };
  }

  #hold(watched: Watched, socket: Socket, goOn: () => void): void {
    watched.isWritePaused = true;
    this.#paused.set(socket, goOn);
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const bytes = await read(request);
    const { socket } = request;
    const end = (): void => void socket.destroy();
    if (this.#silent) {
      this.#paused.set(socket, end);
      return;
    }
    if (request.url?.startsWith('/internal/conductors/') === true) this.#heartbeats += 1;
    const counted = this.#count(request, bytes);
    if (counted?.stop === 'before') {
      this.#hold(counted.watched, socket, end);
      return;
    }
    const { status, headers, body } = await this.#forward(request, bytes);
    if (counted !== undefined) counted.write.status = status;
    const answer = (): void => void response.writeHead(status, headers).end(body);
    if (counted?.stop === 'after') this.#hold(counted.watched, socket, answer);
    else answer();
  }

  #forward(request: IncomingMessage, bytes: Buffer): Promise<Answered> {
    return new Promise((resolve, reject) => {
      const { method, headers, url = '/' } = request;
      const options = { method, headers, agent: this.#agent };
      const outgoing = ask(this.#target + url, options, (answer) => {
        read(answer).then((body) => {
          resolve({ status: answer.statusCode ?? 502, headers: answer.headers, body });
        }, reject);
      });
      outgoing.on('error', reject);
      outgoing.end(bytes);
    });
  }
}

/** Whether the inventory has taken a write. */
export const isPersisted = ({ status }: Write): boolean => status !== undefined && status < 300;

async function read(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
