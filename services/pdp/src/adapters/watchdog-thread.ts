import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
// Erased whole: this thread must not load what it watches.
import type { WatchdogData } from './evaluation-watch-worker.js';

// Runs in a thread of its own, because the thread it watches may be stuck inside WASM and then runs no timer.
const { cell, hardMs } = workerData as WatchdogData; // given by evaluation-watch-worker.ts, the only one who starts this

const CHECKS = 8;
const checkMs = Math.max(10, Math.floor(hardMs / CHECKS));
const STDERR = 2;
const MICROSECONDS = 1000;

let seen = 0;
let stuckMs = 0;
let checkedAt = performance.now();
let workedBefore = process.cpuUsage();

const die = (): void => {
  const line = {
    level: 'fatal',
    time: new Date().toISOString(),
    name: 'pdp',
    msg: `one evaluation of the policy ran longer than ${hardMs} ms; the process ends, to be restarted`,
  };
  writeSync(STDERR, `${JSON.stringify(line)}\n`);
  // A thread cannot make a stuck main thread exit with a status of its choice; this signal needs no cooperation.
  process.kill(process.pid, 'SIGKILL');
};

setInterval(() => {
  const now = performance.now();
  // A process that was stopped and goes on (SIGSTOP, a sleeping laptop) was not stuck for all that time.
  // On a starved machine an evaluation is not stuck while the whole process waits for its turn.
  const { user, system } = process.cpuUsage(workedBefore);
  const passed = Math.min(now - checkedAt, 2 * checkMs, (user + system) / MICROSECONDS);
  workedBefore = process.cpuUsage();
  checkedAt = now;
  const ticket = Atomics.load(cell, 0);
  const isEvaluating = ticket % 2 !== 0;
  stuckMs = isEvaluating && ticket === seen ? stuckMs + passed : 0;
  seen = ticket;
  if (stuckMs >= hardMs) die();
}, checkMs);
