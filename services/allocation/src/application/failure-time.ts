/** Tracks for how long allocations have had nothing but failures, by a monotonic clock. */
export interface FailureTime {
  /** Records a failure. @returns true when the failures of this allocation have lasted for the limit */
  readonly recordFailure: (uuid: string) => boolean;
  /** Forgets an allocation that has ended. */
  readonly forget: (uuid: string) => void;
}

/** Maximum milliseconds that count between two failures: a frozen process made no attempts. */
const MOST_MS = 60_000;

/**
 * @param timeoutMs milliseconds of failures after which an allocation ends in error
 * @param elapsedMs a monotonic clock
 */
export function createFailureTime(timeoutMs: number, elapsedMs: () => number): FailureTime {
  const troubles = new Map<string, { readonly last: number; readonly ms: number }>();
  return {
    recordFailure: (uuid) => {
      const now = elapsedMs();
      const { last = now, ms = 0 } = troubles.get(uuid) ?? {};
      const total = ms + Math.min(now - last, MOST_MS);
      troubles.set(uuid, { last: now, ms: total });
      return total >= timeoutMs;
    },
    forget: (uuid) => {
      troubles.delete(uuid);
    },
  };
}
