import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { type RedisAddress } from '../redis-variables.js';
import { openRedis, type Redis } from '../redis.js';

/** A redis-server on loopback that keeps nothing on disk, and a connection to it. */
export interface TestRedis {
  readonly port: number;
  readonly address: RedisAddress;
  readonly redis: Redis;
  readonly signal: (name: NodeJS.Signals) => void;
  /** Starts it once more, empty, after it was killed. */
  readonly restart: () => Promise<void>;
  readonly stop: () => void;
}

export interface TestRedisOptions {
  /** Serves TLS, and nothing else, with these files. */
  readonly tls?: { readonly certificate: string; readonly key: string; readonly ca: string };
  /** Lines of its ACL, as `user NAME …`. */
  readonly users?: readonly string[];
  /** Address and credentials of the connection. */
  readonly address?: (port: number) => RedisAddress;
}

/** Starts a server. The caller must stop it. */
export async function startTestRedis(options: TestRedisOptions = {}): Promise<TestRedis> {
  const port = await freePort();
  const launch = async (): Promise<ChildProcess> => {
    const started = spawn('redis-server', argumentsFor(port, options), {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await untilReady(started);
    return started;
  };
  let server = await launch();
  const { address: addressAt = (at) => ({ url: `redis://127.0.0.1:${String(at)}` }) } = options;
  const address = addressAt(port);
  const redis = openRedis(address, { onError: () => undefined });
  await redis.connect();
  return {
    port,
    address,
    redis,
    signal: (name) => {
      server.kill(name);
    },
    restart: async () => {
      server = await launch();
    },
    stop: () => {
      redis.disconnect();
      server.kill('SIGKILL');
    },
  };
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => {
        resolve(port);
      });
    });
  });

const argumentsFor = (port: number, { tls, users = [] }: TestRedisOptions): readonly string[] => [
  ...(tls === undefined
    ? ['--port', String(port)]
    : [
        ...['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no'],
        ...['--tls-cert-file', tls.certificate, '--tls-key-file', tls.key],
        ...['--tls-ca-cert-file', tls.ca],
      ]),
  ...['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
  ...users.flatMap((user) => ['--user', ...user.split(' ')]),
];

const untilReady = (server: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('exit', () => {
      reject(new Error('redis-server ended'));
    });
    server.stdout?.on('data', (chunk: Buffer) => {
      if (chunk.toString().includes('Ready to accept')) resolve();
    });
  });
