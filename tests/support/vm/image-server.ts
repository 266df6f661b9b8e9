import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { freePort } from '../processes.js';

/** A web server with images, as an operator would have one. */
export interface ImageServer {
  /** The address of an image. */
  url(name: string): string;
  /** Serves a file under a name; its address. */
  serve(name: string, file: string): string;
  /** How often an image was fetched. */
  fetches(name: string): number;
  stop(): Promise<void>;
}

/** Starts a web server on the loopback, where the emulated BMC fetches its images. */
export async function imageServer(): Promise<ImageServer> {
  const files = new Map<string, string>();
  const fetched = new Map<string, number>();
  const port = await freePort();
  const server = createServer((request, response) => {
    const name = (request.url ?? '').slice(1);
    const file = files.get(name);
    if (file === undefined) {
      response.writeHead(404).end();
      return;
    }
    void stat(file).then(({ size }) => {
      response.writeHead(200, {
        'content-type': 'application/octet-stream',
        'content-length': size,
      });
      if (request.method === 'HEAD') {
        response.end();
        return;
      }
      fetched.set(name, (fetched.get(name) ?? 0) + 1);
      createReadStream(file).pipe(response);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  const url = (name: string): string => `http://127.0.0.1:${String(port)}/${name}`;
  return {
    url,
    serve: (name, file) => {
      files.set(name, file);
      return url(name);
    },
    fetches: (name) => fetched.get(name) ?? 0,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}
