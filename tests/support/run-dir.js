import { existsSync, readFileSync, rmSync } from 'node:fs';
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

/** The file that tells later suites of the same run where the shared Tenure is. */
export const sharedFile = path.join(runDir, 'shared.json');

/** @param {number} pid */
const isRunning = (pid) =>
  existsSync(`/proc/${pid}`) && !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');

/** @param {number} pid */
const isTenure = (pid) =>
  isRunning(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('tenure');

/** Ends the shared Tenure of this run, or one that an interrupted run left behind. */
export function stopShared() {
  if (!existsSync(sharedFile)) return;
  const { pid } = JSON.parse(readFileSync(sharedFile, 'utf8'));
  rmSync(sharedFile);
  if (!isTenure(pid)) return;
  process.kill(-pid, 'SIGTERM');
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let waited = 0; waited < 20_000 && isRunning(pid); waited += 100)
    Atomics.wait(pause, 0, 0, 100);
  if (isRunning(pid)) process.kill(-pid, 'SIGKILL');
}
