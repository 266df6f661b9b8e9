/** What a warm policy was seen to do. */
export interface WarmUp {
  /** Units of fuel that all evaluations took, and the costliest of them. */
  readonly fuel: number;
  readonly most: number;
  /** Milliseconds that the thread worked for them. */
  readonly workMs: number;
}

/** An evaluation that was seen is never refused, however short the deadline: this many of the costliest are always allowed. */
const AT_LEAST = 20;

/** Units of fuel that a policy of this speed uses within a deadline, in milliseconds. */
export const budgetFor = ({ fuel, most, workMs }: WarmUp, deadlineMs: number): number =>
  workMs === 0 ? Infinity : Math.ceil(Math.max((fuel / workMs) * deadlineMs, most * AT_LEAST));
