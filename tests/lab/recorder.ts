import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type AddEntry } from './history.js';

const LOCKING = /^\/internal\/nodes\/([0-9a-f-]{36})(?:\/reservation(?:\/takeover)?)?$/u;

interface LockRequest {
  readonly holder?: unknown;
}
interface Answered {
  readonly fence?: unknown;
  readonly revision?: unknown;
  readonly node?: { readonly fence?: unknown; readonly revision?: unknown };
}

/** Passes on what the conductors ask of the inventory, and records each write under a lock that was confirmed. */
export class LockRecorder {
  readonly #target: string;
  readonly #add: AddEntry;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #server = createServer((incoming, response) => {
    this.#pass(incoming, response).catch(() => incoming.socket.destroy());
  });

  private constructor(target: number, add: AddEntry) {
    this.#target = `http://127.0.0.1:${String(target)}`;
    this.#add = add;
  }

  /** @param target port of the loopback that requests are passed on to */
  static async open(target: number, add: AddEntry): Promise<LockRecorder> {
    const recorder = new LockRecorder(target, add);
    await new Promise<void>((resolve) => recorder.#server.listen(0, '127.0.0.1', resolve));
    return recorder;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port; // a listening TCP server's address is an AddressInfo
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
    this.#agent.destroy();
  }

  async #pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '/', headers } = incoming;
    const requestBody = await buffer(incoming);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const outgoing = request(
        this.#target + url,
        { method, headers, agent: this.#agent },
        resolve,
      );
      outgoing.on('error', reject);
      // The caller may have disconnected; its request may still take effect.
      response.on('close', () => outgoing.destroy());
      outgoing.end(requestBody);
    });
    const bytes = await buffer(answer);
    const { statusCode = 502 } = answer;
    if (statusCode === 200 && (method === 'POST' || method === 'PATCH'))
      this.#record(
        LOCKING.exec(url)?.[1],
        jsonIn(requestBody) as LockRequest,
        jsonIn(bytes) as Answered,
      );
    response.writeHead(statusCode, answer.headers).end(bytes);
  }

  #record(node: string | undefined, { holder }: LockRequest, answered: Answered): void {
    const fence = answered.fence ?? answered.node?.fence;
    const revision = answered.node?.revision ?? answered.revision;
    if (node === undefined || typeof holder !== 'string') return;
    if (typeof fence === 'number' && typeof revision === 'number')
      this.#add({ kind: 'lock', node, holder, fence, revision });
  }
}

function jsonIn(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return {};
  }
}
