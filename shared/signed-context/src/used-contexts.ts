import { type ContextClaims, ContextReplayedError, UnavailableError } from '@tenure/contracts';
import { CLOCK_SKEW_SECONDS } from './context.js';

/** About 20 MB. A process would have to take 8,000 writes a second to have as many in the life of a context. */
const CAPACITY = 100_000;

/** The contexts that were used for a change, each until it is no longer fresh. */
export interface UsedContexts {
  /**
   * Uses up a verified context. It looks and remembers at once, so that of two requests with one context only one goes on.
   * @throws ContextReplayedError when it was used before
   * @throws UnavailableError when no more can be remembered: what cannot be told from a repetition is refused
   */
  readonly use: (claims: Pick<ContextClaims, 'iss' | 'jti' | 'exp'>) => void;
}

/** @param capacity how many are remembered at most */
export const createUsedContexts = (capacity = CAPACITY): UsedContexts => {
  // By the second of their end, which is signed: a repetition has the same, and there are never more than 36 of them.
  const used = new Map<number, Set<string>>();
  let size = 0;

  const forget = (now: number): void => {
    for (const [end, ids] of used) {
      if (end + CLOCK_SKEW_SECONDS >= now) continue;
      used.delete(end);
      size -= ids.size;
    }
  };

  return {
    use: ({ iss, jti, exp }) => {
      const id = `${iss} ${jti}`;
      const ids = used.get(exp) ?? new Set();
      if (ids.has(id)) throw new ContextReplayedError();
      forget(Date.now() / 1000);
      if (size >= capacity)
        throw new UnavailableError('Too many changes were made just now; please retry.', {
          headers: { 'Retry-After': '1' },
        });
      used.set(exp, ids.add(id));
      size += 1;
    },
  };
};
