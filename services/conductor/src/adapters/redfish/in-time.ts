import { setTimeout as delay } from 'node:timers/promises';
import { type Deadline, isOver, remainingMs } from '../../deadline.js';
import { BmcCallFailure } from './bmc-error.js';

/**
 * What others may be waiting for too, for one who waits until its own deadline only. The work itself goes on.
 * @throws BmcCallFailure `timeout` with `sentence`, before anything was sent for this caller
 */
export const inTime = async <T>(
  work: Promise<T>,
  deadline: Deadline,
  sentence: string,
): Promise<T> => {
  const late = new BmcCallFailure('timeout', sentence, { maybeSent: false });
  if (isOver(deadline)) {
    work.catch(() => undefined);
    throw late;
  }
  const done = new AbortController();
  const signal = AbortSignal.any([done.signal, deadline.signal]);
  const leave = delay(remainingMs(deadline), undefined, { signal }).catch(() => undefined);
  try {
    return await Promise.race([
      work,
      leave.then(() => {
        throw late;
      }),
    ]);
  } finally {
    done.abort();
  }
};
