import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';

/** A web server with one bundle. */
export interface BundleServer {
  readonly url: string;
  /** The number of its answers, by status. */
  readonly answered: Map<number, number>;
  readonly stop: () => Promise<void>;
}

/**
 * Serves a file with its ETag to whoever has the token.
 * @param file - read for each request
 */
export async function serveBundle(file: string, token: string, port = 0): Promise<BundleServer> {
  const answered = new Map<number, number>();
  const server: Server = createServer((request, response) => {
    const reply = (status: number, headers = {}, body?: Buffer): void => {
      answered.set(status, (answered.get(status) ?? 0) + 1);
      response.writeHead(status, headers).end(body);
    };
    if (request.headers.authorization !== `Bearer ${token}`) {
      reply(401);
      return;
    }
    const content = readFileSync(file);
    const etag = `"${createHash('sha256').update(content).digest('hex')}"`;
    if (request.headers['if-none-match'] === etag) reply(304, { etag });
    else reply(200, { etag, 'content-type': 'application/gzip' }, content);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const { port: got } = server.address() as AddressInfo; // a listening TCP server's address is an AddressInfo
  return {
    url: `http://127.0.0.1:${got}/bundle.tar.gz`,
    answered,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
