/** Bytes of a content, the last one included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

const ONE_RANGE = /^bytes=(?<first>\d{0,15})-(?<last>\d{0,15})$/u;

/**
 * The part of a content that a `Range` header asks for. A header that is malformed, in other units, or of several ranges is
 * ignored, as HTTP allows.
 * @param size bytes of the content
 * @returns `whole` without a range, `none` when the range has no byte of the content
 */
export function byteRangeIn(
  header: string | undefined,
  size: number,
): ByteRange | 'none' | 'whole' {
  const { first = '', last = '' } = ONE_RANGE.exec(header ?? '')?.groups ?? {};
  if (first === '') return last === '' ? 'whole' : endRange(Number(last), size);
  return rangeFrom(Number(first), last === '' ? Infinity : Number(last), size);
}

/** The last bytes of a content. */
const endRange = (count: number, size: number): ByteRange | 'none' =>
  count === 0 || size === 0 ? 'none' : { first: Math.max(0, size - count), last: size - 1 };

function rangeFrom(first: number, last: number, size: number): ByteRange | 'none' | 'whole' {
  if (last < first) return 'whole';
  return first >= size ? 'none' : { first, last: Math.min(last, size - 1) };
}
