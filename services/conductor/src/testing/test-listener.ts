import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo } from 'node:net';

/** A listener whose address is fixed before its handler is set. */
export interface TestListener {
  readonly url: string;
  /** Handles the requests; until it is set, none is answered. */
  handler: RequestListener;
  readonly close: () => Promise<void>;
}

export async function openTestListener(): Promise<TestListener> {
  const server = createServer((request, response) => {
    listener.handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const listener: TestListener = {
    url: `http://127.0.0.1:${String(port)}`,
    handler: () => undefined,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
  return listener;
}
