import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { cache, certificates } from './paths.js';

/** A MongoDB stand-in of a suite's own, in memory. */
export interface MongoStandIn {
  /** `host:port`. */
  readonly address: string;
  stop(): void;
}

/** Starts one; with `tls` it talks TLS alone, with the certificate for 127.0.0.1 that certs.sh made. */
export async function startMongo({ tls = false } = {}): Promise<MongoStandIn> {
  const jar = path.join(cache, 'mongo-server', 'mongo-server.jar');
  const files = tls ? [certificates.key, certificates.certificate] : [];
  const server = spawn('java', ['-Xmx256m', '-jar', jar, ...files], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return {
    address: `127.0.0.1:${await portOf(server)}`,
    stop: () => {
      server.kill('SIGKILL');
    },
  };
}

const portOf = (server: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    server.on('error', reject);
    server.on('exit', () => {
      reject(new Error('the MongoDB stand-in ended'));
    });
    if (server.stdout !== null)
      createInterface({ input: server.stdout }).on('line', (line) => {
        resolve(line.replace('listening on port ', ''));
      });
  });
