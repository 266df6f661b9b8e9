import { spawn } from 'node:child_process';
import { openRedis, type Redis } from '@tenure/shared-state';
import { startFake } from './fakes.js';

/** A redis-server on loopback that keeps nothing on disk, and a connection to it. */
export interface TestRedis {
  readonly redis: Redis;
  readonly signal: (name: NodeJS.Signals) => void;
  readonly stop: () => void;
}

const freePort = async (): Promise<string> => {
  const probe = await startFake(() => undefined);
  await probe.close();
  return new URL(probe.url).port;
};

export const startTestRedis = async (): Promise<TestRedis> => {
  const port = await freePort();
  const server = spawn('redis-server', ['--port', port, '--bind', '127.0.0.1', '--save', ''], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise<void>((resolve, reject) => {
    server.once('exit', reject);
    server.stdout.on('data', (chunk: Buffer) => {
      if (chunk.toString().includes('Ready to accept')) resolve();
    });
  });
  const redis = openRedis(`redis://127.0.0.1:${port}`, () => undefined);
  await redis.connect();
  return {
    redis,
    signal: (name) => {
      server.kill(name);
    },
    stop: () => {
      redis.disconnect();
      server.kill('SIGKILL');
    },
  };
};
