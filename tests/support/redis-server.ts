import { mkdirSync, mkdtempSync } from 'node:fs';
import path from 'node:path';
import { cleanEnvironment, runDirectory } from './paths.js';
import { freePort, signal, start, stopGroup, untilPrinted } from './processes.js';

/** A redis-server of a suite's own, which keeps nothing on disk. */
export interface RedisServer {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

export async function startRedis(): Promise<RedisServer> {
  mkdirSync(runDirectory, { recursive: true });
  const directory = mkdtempSync(path.join(runDirectory, 'redis-'));
  const port = await freePort();
  const started = start({
    command: 'redis-server',
    args: ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    env: cleanEnvironment(),
    cwd: directory,
    logFile: path.join(directory, 'redis.log'),
  });
  await untilPrinted(started, 'Ready to accept connections');
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    pid: started.pid,
    freeze: () => {
      signal(started.pid, 'SIGSTOP');
    },
    thaw: () => {
      signal(started.pid, 'SIGCONT');
    },
    stop: () => stopGroup(started.pid, 5000),
  };
}
