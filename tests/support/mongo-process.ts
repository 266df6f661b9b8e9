import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { cache, cleanEnvironment, runDirectory } from './paths.js';
import { signal, start, stopGroup, untilPrinted } from './processes.js';

/** A MongoDB stand-in of a suite's own, in memory. */
export interface MongoProcess {
  readonly uri: string;
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

export async function startMongo(): Promise<MongoProcess> {
  mkdirSync(runDirectory, { recursive: true });
  const directory = mkdtempSync(path.join(runDirectory, 'mongo-'));
  const started = start({
    command: 'java',
    args: ['-Xmx256m', '-jar', path.join(cache, 'mongo-server', 'mongo-server.jar')],
    env: cleanEnvironment(),
    cwd: directory,
    logFile: path.join(directory, 'mongo.log'),
  });
  await untilPrinted(started, 'listening on port ');
  const port = /listening on port (\d+)/u.exec(readFileSync(started.logFile, 'utf8'))?.[1] ?? '';
  return {
    uri: `mongodb://127.0.0.1:${port}/?retryWrites=false`,
    freeze: () => {
      signal(started.pid, 'SIGSTOP');
    },
    thaw: () => {
      signal(started.pid, 'SIGCONT');
    },
    stop: () => stopGroup(started.pid, 5000),
  };
}
