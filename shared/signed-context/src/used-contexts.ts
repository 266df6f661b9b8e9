import { type ContextClaims, ContextReplayedError, UnavailableError } from '@tenure/contracts';
import { CLOCK_SKEW_SECONDS } from './context.js';

/** About 20 MB. To reach it within the lifetime of a context, a process would have to handle 8,000 writes a second. */
const CAPACITY = 100_000;

/** The used contexts of changes, each until it has expired. */
export interface UsedContexts {
  /**
   * Marks a verified context as used. Check and insertion are one step, so that only one of two requests with a context succeeds.
   * @throws ContextReplayedError when it was used before
   * @throws UnavailableError at the capacity: a replay could not be detected
   */
  readonly use: (claims: Pick<ContextClaims, 'iss' | 'jti' | 'exp'>) => void;
}

/** @param capacity maximum number of stored contexts */
export function createUsedContexts(capacity = CAPACITY): UsedContexts {
  // Keyed by the signed expiry second, which a replay repeats; there are never more than 36 keys.
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
}
