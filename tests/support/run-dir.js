import { existsSync, globSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

/**
 * Where a run keeps what must not outlive it: data directories, logs, the shared Tenure's process id. Runs at the same
 * time need one each, for a run begins by ending what the one before left there.
 */
export const runDir = path.resolve(
  import.meta.dirname,
  '../..',
  process.env['TENURE_E2E_RUN_DIR'] ?? '.cache/e2e',
);

/** The file from which later suites of the same worker read where their shared Tenure is: suites that run side by side have one each. */
export const sharedFile = path.join(runDir, `shared-${process.env['JEST_WORKER_ID'] ?? '1'}.json`);

/** @param {number} pid */
const isRunning = (pid) =>
  existsSync(`/proc/${pid}`) && !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');

/** @param {number} pid */
const isTenure = (pid) =>
  isRunning(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('tenure');

/** Ends the shared Tenures of this run, or those that an interrupted run left behind. */
export function stopShared() {
  const files = globSync(path.join(runDir, 'shared-*.json'));
  const pids = files.map((file) => Number(JSON.parse(readFileSync(file, 'utf8')).pid));
  for (const file of files) rmSync(file);
  const left = pids.filter(isTenure);
  for (const pid of left) process.kill(-pid, 'SIGTERM');
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let waited = 0; waited < 20_000 && left.some(isRunning); waited += 100)
    Atomics.wait(pause, 0, 0, 100);
  for (const pid of left.filter(isRunning)) process.kill(-pid, 'SIGKILL');
}
