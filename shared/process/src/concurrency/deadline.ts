import { setTimeout as timer } from 'node:timers/promises';

/** Until when something may take, and what ends it early (stop of the process, lock lost). */
export interface Deadline {
  /** Milliseconds on the monotonic clock. */
  readonly at: number;
  readonly signal: AbortSignal;
}

const NEVER = new AbortController().signal;

/** A deadline `ms` milliseconds from now. */
export const deadlineIn = (ms: number, signal: AbortSignal = NEVER): Deadline => ({
  at: performance.now() + ms,
  signal,
});

/** The earlier of a deadline and `ms` milliseconds from now. */
export const deadlineWithin = (deadline: Deadline, ms: number): Deadline => ({
  at: Math.min(deadline.at, performance.now() + ms),
  signal: deadline.signal,
});

/** Milliseconds left, never negative. */
export const remainingMs = (deadline: Deadline): number =>
  Math.max(0, deadline.at - performance.now());

/** Whole milliseconds for a call that may take `capMs` at most; 0 when the time is up. */
export const callMs = (deadline: Deadline, capMs: number): number =>
  Math.min(capMs, Math.ceil(remainingMs(deadline)));

export const isOver = (deadline: Deadline): boolean =>
  deadline.signal.aborted || remainingMs(deadline) <= 0;

/** Sleeps `ms`, less when the deadline comes first; rejects when the signal aborts. */
export async function sleepWithin(ms: number, deadline: Deadline): Promise<void> {
  deadline.signal.throwIfAborted();
  await timer(Math.min(ms, remainingMs(deadline)), undefined, { signal: deadline.signal });
}
