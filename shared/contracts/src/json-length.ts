// Characters that JSON escapes: quotation marks, backslashes, control characters and lone surrogates.
const ESCAPED = /["\\\p{Cc}\p{Cs}]/u;
/** Maximum length of one escaped character. */
const LONGEST_ESCAPE = 6;

type LengthOf = (text: string) => number;

/**
 * Whether the JSON text of a value has more than `most` characters. The function does not create the text, and stops at the
 * limit.
 * @param value JSON values only
 */
export const isLongerJson = (value: unknown, most: number): boolean =>
  lengthLeft(value, most, greatestLength) < 0 && lengthLeft(value, most, exactLength) < 0;

/** The characters of `limit` that are left after the JSON of a value; negative as soon as it does not fit. */
function lengthLeft(value: unknown, limit: number, lengthOf: LengthOf): number {
  if (limit < 0) return limit;
  if (typeof value === 'string') return value.length > limit ? -1 : limit - lengthOf(value);
  if (typeof value !== 'object' || value === null) return limit - JSON.stringify(value).length;
  return Array.isArray(value)
    ? leftAfterList(value, limit, lengthOf)
    : leftAfterMembers(value, limit, lengthOf);
}

/** An upper bound without a scan of the text; most values are far below any limit. */
const greatestLength: LengthOf = (text) => text.length * LONGEST_ESCAPE + 2;

const exactLength: LengthOf = (text) =>
  ESCAPED.test(text) ? JSON.stringify(text).length : text.length + 2;

function leftAfterList(list: readonly unknown[], limit: number, lengthOf: LengthOf): number {
  let left = limit - 2 - Math.max(0, list.length - 1); // brackets and commas
  for (const item of list) {
    if (left < 0) return left;
    left = lengthLeft(item, left, lengthOf);
  }
  return left;
}

function leftAfterMembers(members: object, limit: number, lengthOf: LengthOf): number {
  const entries = Object.entries(members);
  let left = limit - 2 - Math.max(0, entries.length - 1); // braces and commas
  for (const [name, value] of entries) {
    if (left < 0) return left;
    left = lengthLeft(value, left - lengthOf(name) - 1, lengthOf);
  }
  return left;
}
