import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { watchdogThread } from './evaluation-watch-worker.js';

interface Ended {
  readonly signal: string | null;
  readonly code: number | null;
  readonly stderr: string;
}

// A process of its own, because the watchdog ends the process it is in.
const runWatched = async (body: string): Promise<Ended> => {
  const script = `
    import { Worker } from 'node:worker_threads';
    const cell = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(new URL(${JSON.stringify(watchdogThread.href)}), {
      workerData: { cell, hardMs: 200 },
      execArgv: [],
    });
    worker.once('error', () => process.exit(3));
    worker.once('online', () => { setTimeout(() => { ${body} }, 100); });
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 20_000,
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return { code, signal, stderr };
};

describe('the evaluation watch', () => {
  it('ends a process whose evaluation does not end, and says why', async () => {
    const ended = await runWatched('Atomics.add(cell, 0, 1); for (;;);');
    expect(ended.signal).toBe('SIGKILL');
    expect(ended.stderr).toContain('one evaluation of the policy ran longer than 200 ms');
  });

  it('leaves alone a process that evaluates without end, but each time anew', async () => {
    const ended = await runWatched(`
      const until = performance.now() + 1000;
      while (performance.now() < until) Atomics.add(cell, 0, 1);
      process.exit(0);
    `);
    expect(ended).toMatchObject({ code: 0, signal: null });
  });

  it('leaves alone a process that is busy with something else', async () => {
    const ended = await runWatched(`
      Atomics.add(cell, 0, 2);
      const until = performance.now() + 1000;
      while (performance.now() < until);
      process.exit(0);
    `);
    expect(ended).toMatchObject({ code: 0, signal: null });
  });
});
