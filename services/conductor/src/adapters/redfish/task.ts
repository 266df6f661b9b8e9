import { isOver, sleepWithin } from '@tenure/process';
import { DriverFailure } from '../../domain/driver-failure.js';
import { type BmcClient } from './bmc-client.js';
import { BmcCallFailure } from './bmc-error.js';
import { type BmcAnswer } from './bmc-transport.js';
import { linkOf, pathOf, textOf } from './json.js';
import { type PowerPace } from './power-change.js';

const RUNNING: ReadonlySet<string> = new Set([
  'New',
  'Starting',
  'Running',
  'Pending',
  'Stopping',
  'Suspended',
  'Interrupted',
  'Service',
  'Cancelling',
]);
const MAX_WAIT_MS = 60_000;
/** So many looks in a row that find no task end the wait. */
const MAX_MISSES = 5;

type Progress = 'running' | 'done' | 'failed';

const EXPIRED = new Set([404, 410]);

interface Task {
  readonly pace: PowerPace;
  /** Name of the operation, for error texts. */
  readonly what: string;
}

/**
 * Waits until what the BMC took (202) is over. Whether it was done is to be read back: a BMC may forget its tasks.
 * @throws DriverFailure when the task failed, or is not over in time
 */
export async function taskOver(
  bmc: BmcClient,
  { pace, what }: Task,
  first: BmcAnswer,
): Promise<void> {
  const { deadline } = bmc;
  const path = monitorOf(bmc, first);
  if (path === undefined) return;
  let waitMs = pauseOf(first, pace.firstPollMs);
  let misses = 0;
  while (!isOver(deadline)) {
    await sleepWithin(waitMs, deadline);
    const answer = await look(bmc, path);
    if (answer === undefined) continue;
    if (answer === 'expired') {
      misses += 1;
      // Some BMCs show a task late, some remove one that is over; the effect says what became of it.
      if (misses >= MAX_MISSES) return;
      continue;
    }
    misses = 0;
    const progress = progressOf(answer);
    if (progress === 'failed') throw new DriverFailure('answer', `the BMC could not ${what}`);
    if (progress === 'done') return;
    waitMs = pauseOf(answer, pace.slowestPollMs);
  }
  throw new DriverFailure('timeout', `the BMC did not ${what} in time`);
}

/** The address of the task monitor; undefined for an address of another host. */
function monitorOf(bmc: BmcClient, { status, headers, data }: BmcAnswer): string | undefined {
  if (status !== 202) return undefined;
  const location = headers['location'];
  if (location === undefined) return linkOf(data);
  const url = URL.parse(location, bmc.origin);
  return url?.origin === bmc.origin ? pathOf(`${url.pathname}${url.search}`) : undefined;
}

/** Milliseconds that the BMC wants us to wait before the next look. */
function pauseOf({ headers }: BmcAnswer, pollMs: number): number {
  const seconds = Number(headers['retry-after'] ?? Number.NaN);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1000, MAX_WAIT_MS) : pollMs;
}

/**
 * Reads the task once. Undefined when that failed: the BMC may be restarting, which says nothing about the task. `expired`
 * when the BMC has no such task.
 */
async function look(bmc: BmcClient, path: string): Promise<BmcAnswer | 'expired' | undefined> {
  try {
    return await bmc.get(path);
  } catch (error) {
    if (!(error instanceof DriverFailure) || error.kind === 'auth' || error.kind === 'tls')
      throw error;
    const { status } = error instanceof BmcCallFailure ? error : {};
    return status !== undefined && EXPIRED.has(status) ? 'expired' : undefined;
  }
}

function progressOf({ status, data }: BmcAnswer): Progress {
  const state = textOf(data['TaskState']);
  if (state === undefined) return status === 202 ? 'running' : 'done';
  if (state === 'Completed') return data['TaskStatus'] === 'Critical' ? 'failed' : 'done';
  return RUNNING.has(state) ? 'running' : 'failed';
}
