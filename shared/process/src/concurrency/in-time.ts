import { type Deadline, isOver, remainingMs } from './deadline.js';

const LATE = Symbol('late');

/**
 * Waits for work, but not longer than its time. The work itself goes on, and its result is dropped. The timer does not
 * keep the process alive.
 * @param limit milliseconds, or a deadline
 * @param late returns what to return when the time is up, or throws
 * @throws what the work rejects with, or `late` throws
 */
export async function inTime<T, L = never>(
  limit: number | Deadline,
  work: Promise<T>,
  late: () => L | Promise<L>,
): Promise<T | L> {
  const deadline = typeof limit === 'number' ? undefined : limit;
  const { promise, resolve, reject } = Promise.withResolvers<T | typeof LATE>();
  const timeOut = (): void => {
    resolve(LATE);
  };
  if (deadline !== undefined && isOver(deadline)) timeOut();
  const timer = setTimeout(timeOut, typeof limit === 'number' ? limit : remainingMs(limit)).unref();
  deadline?.signal.addEventListener('abort', timeOut);
  work.then(resolve, reject);
  try {
    const ended = await promise;
    return ended === LATE ? await late() : ended;
  } finally {
    clearTimeout(timer);
    deadline?.signal.removeEventListener('abort', timeOut);
  }
}
