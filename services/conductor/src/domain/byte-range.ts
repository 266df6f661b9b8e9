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
export const byteRangeIn = (
  header: string | undefined,
  size: number,
): ByteRange | 'none' | 'whole' => {
  const { first: from = '', last: to = '' } = ONE_RANGE.exec(header ?? '')?.groups ?? {};
  if (from === '' && to === '') return 'whole';
  if (from === '') {
    const count = Math.min(Number(to), size);
    return count === 0 ? 'none' : { first: size - count, last: size - 1 };
  }
  const first = Number(from);
  const last = to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (to !== '' && Number(to) < first) return 'whole';
  return first >= size ? 'none' : { first, last };
};
