import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { reset } from '../reset.js';
import { sleep } from '../wait.js';

/** Milliseconds until whoever balances connections has heard of a change. */
const LATE_MS = 700;

/**
 * As a Service of Kubernetes: one address, from which each new connection goes to one of the ready pods. A connection stays with
 * its pod; changes propagate late, so a pod that stops still gets new connections for a moment.
 */
export class Service {
  readonly #server: Server;
  readonly #connections = new Set<Socket>();
  #ready: readonly number[] = [];

  private constructor(server: Server) {
    this.#server = server;
    server.on('connection', (client: Socket) => {
      this.#connect(client);
    });
  }

  static async open(): Promise<Service> {
    const server = createServer({ allowHalfOpen: true });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Service(server);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port; // a listening TCP server's address is an AddressInfo
  }

  get ready(): readonly number[] {
    return this.#ready;
  }

  async add(port: number): Promise<void> {
    await sleep(LATE_MS);
    this.#ready = [...this.#ready.filter((one) => one !== port), port];
  }

  async remove(port: number): Promise<void> {
    await sleep(LATE_MS);
    this.#ready = this.#ready.filter((one) => one !== port);
  }

  close(): void {
    this.#server.close();
    for (const client of this.#connections) client.destroy();
  }

  #connect(client: Socket): void {
    this.#connections.add(client);
    client.on('close', () => this.#connections.delete(client));
    client.on('error', () => client.destroy());
    const port = this.#ready[Math.floor(Math.random() * this.#ready.length)];
    if (port === undefined) {
      reset(client);
      return;
    }
    const pod = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    client.setNoDelay(true);
    join(client, pod);
  }
}

function join(client: Socket, pod: Socket): void {
  const tie = (one: Socket, other: Socket): void => {
    one.pipe(other);
    one.on('error', () => {
      reset(other);
    });
    one.on('close', () => {
      other.destroySoon();
    });
  };
  tie(client, pod);
  tie(pod, client);
}
