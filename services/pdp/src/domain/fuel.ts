/** Measurements of a warm policy. */
export interface WarmUp {
  /** Units of fuel for each millisecond of the clock, of each evaluation; infinite where the clock did not move. */
  readonly speeds: readonly number[];
  /** Units of fuel that the costliest evaluation took. */
  readonly most: number;
}

/** The budget is at least this many times the costliest measured evaluation, however short the deadline. */
const AT_LEAST = 20;
/** Units of fuel for each millisecond that no machine exceeds; some twice what a fast one was seen to use. */
const FASTEST = 4_000_000;

/**
 * Units of fuel that a policy of this speed uses within a deadline. The median counts: an evaluation takes some 40 µs, so
 * that on a starved machine few of them wait for the CPU, and the CPU time of a thread moves in steps of milliseconds.
 * @param deadlineMs milliseconds
 */
export function budgetFor({ speeds, most }: WarmUp, deadlineMs: number): number {
  const speed = Math.min(medianOf(speeds) ?? FASTEST, FASTEST);
  return Math.ceil(Math.max(speed * deadlineMs, most * AT_LEAST));
}

const medianOf = (values: readonly number[]): number | undefined =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
