/** The time that is left for one request; every call made for it shares it. */
export interface Deadline {
  /** Milliseconds for a call that may take `cap` at most; 0 when the time is up. */
  readonly within: (cap: number) => number;
}

/** A deadline `ms` milliseconds from now. */
export const startDeadline = (ms: number): Deadline => {
  const end = performance.now() + ms;
  return { within: (cap) => Math.max(0, Math.min(cap, Math.ceil(end - performance.now()))) };
};
