/** A closed segment, as far as its keeping goes. */
export interface ClosedSegment {
  readonly number: number;
  readonly bytes: number;
  /** Milliseconds since 1970 at which it was closed: no record in it is younger. */
  readonly closedAt: number;
}

/** What decides how long a segment is kept. */
export interface RetentionRules {
  /** Milliseconds that a record is kept at least. */
  readonly keepMs: number;
  /** Bytes that the log may occupy. Nothing is removed for want of space that is nowhere else: the log refuses records then. */
  readonly spaceBytes: number;
  /** Bytes of the space below which segments that every receiver has got make room. */
  readonly reserveBytes: number;
}

export interface RetentionNow {
  readonly now: number;
  /** Bytes of all segments, the open one included. */
  readonly bytes: number;
  /** The oldest segment that a receiver has not got wholly; undefined where there is no receiver. */
  readonly neededFrom: number | undefined;
}

/** Why a segment goes: it is older than records are kept, or every receiver has it and room is short. */
export type RetiredFor = 'age' | 'sent';

export interface Retirement {
  /** The oldest segments, in order. */
  readonly retired: readonly { readonly segment: ClosedSegment; readonly because: RetiredFor }[];
  /** Segments that are older than records are kept and stay, because a receiver has not got them. */
  readonly held: number;
}

/**
 * Which segments go. Never one that a receiver has not got, never the newest, and never a younger one before an older one,
 * so that what stays is one chain.
 * @param closed every closed segment, the oldest first
 */
export const retirement = (
  closed: readonly ClosedSegment[],
  { keepMs, spaceBytes, reserveBytes }: RetentionRules,
  { now, bytes, neededFrom }: RetentionNow,
): Retirement => {
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
  const held = candidates.filter((segment) => isOld(segment) && isNeeded(segment)).length;
  return { retired, held };
};
