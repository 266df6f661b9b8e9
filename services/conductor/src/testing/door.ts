import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo } from 'node:net';

/** A listener whose address is known before anything stands behind it. */
export interface Door {
  readonly url: string;
  /** What answers; until it is set, nothing does. */
  handler: RequestListener;
  readonly close: () => Promise<void>;
}

export async function openDoor(): Promise<Door> {
  const server = createServer((request, response) => {
    door.handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const door: Door = {
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
  return door;
}
