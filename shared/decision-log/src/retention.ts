/** A closed segment, with the properties that retention needs. */
export interface ClosedSegment {
  readonly number: number;
  readonly bytes: number;
  /** Milliseconds since 1970 when it was closed: no record in it is newer. */
  readonly closedAt: number;
}

/** Limits of retention. */
export interface RetentionRules {
  /** Minimum age of a removed record, in milliseconds. */
  readonly keepMs: number;
  /** Maximum bytes of the log. At the limit the log refuses records; it never removes young records that exist nowhere else. */
  readonly spaceBytes: number;
  /** Below this number of free bytes, segments that every receiver has are removed. */
  readonly reserveBytes: number;
}

export interface RetentionNow {
  readonly now: number;
  /** Bytes of all segments, the open one included. */
  readonly bytes: number;
  /** The oldest segment that a receiver has not read completely; undefined without receivers. */
  readonly neededFrom: number | undefined;
}

/** The reason of a removal: older than the retention time, or every receiver has it and space is short. */
export type RetiredFor = 'age' | 'sent';

export interface Retirement {
  /** The oldest segments, in order. */
  readonly retired: readonly { readonly segment: ClosedSegment; readonly because: RetiredFor }[];
  /** Segments that are older than the retention time and stay because a receiver lacks them. */
  readonly retained: number;
}

/**
 * Selects the segments to remove: never one that a receiver lacks, never the newest, and never one before all older segments
 * are removed, so that the remaining segments are one chain.
 * @param closed every closed segment, the oldest first
 */
export function retirement(
  closed: readonly ClosedSegment[],
  { keepMs, spaceBytes, reserveBytes }: RetentionRules,
  { now, bytes, neededFrom }: RetentionNow,
): Retirement {
  const isOld = ({ closedAt }: ClosedSegment): boolean => closedAt < now - keepMs;
  const isNeeded = ({ number }: ClosedSegment): boolean => number >= (neededFrom ?? Infinity);
  const candidates = closed.slice(0, -1);
  const retired: { segment: ClosedSegment; because: RetiredFor }[] = [];
  let left = bytes;
  for (const segment of candidates) {
    const isShort = neededFrom !== undefined && left > spaceBytes - reserveBytes;
    if (isNeeded(segment) || !(isOld(segment) || isShort)) break;
    retired.push({ segment, because: isOld(segment) ? 'age' : 'sent' });
    left -= segment.bytes;
  }
  const retained = candidates.filter((segment) => isOld(segment) && isNeeded(segment)).length;
  return { retired, retained };
}
