import { canonicalJson, isJsonObject, type JsonObject, memberOf } from '@tenure/policy';

/** The compared parts of a policy. */
export interface ComparedPolicy {
  readonly wasm: Uint8Array;
  /** With overlays and switches. */
  readonly data: JsonObject;
}

const MAX_LINES = 200;
const MAX_TEXT = 300;

/**
 * Compares a policy with the one before it: rows of the tables, switches, and whether the rules differ.
 * @returns a line for each difference, up to the maximum of a page
 */
export function changesBetween(before: ComparedPolicy, after: ComparedPolicy): readonly string[] {
  const rules = Buffer.from(before.wasm).equals(after.wasm) ? [] : ['the compiled rules'];
  const lines = [
    ...rules,
    ...linesFor('', memberOf(before.data, 'tenure'), memberOf(after.data, 'tenure')),
  ];
  return lines.length > MAX_LINES
    ? [...lines.slice(0, MAX_LINES - 1), `and ${lines.length - MAX_LINES + 1} more`]
    : lines;
}

/** Recurses while both sides have members, so that a line contains only the change. */
function linesFor(place: string, before: unknown, after: unknown): readonly string[] {
  if (isSame(before, after)) return [];
  if (isJsonObject(before) && isJsonObject(after))
    return namesOf(before, after).flatMap((name) =>
      linesFor(
        place === '' ? name : `${place} ${name}`,
        memberOf(before, name),
        memberOf(after, name),
      ),
    );
  return [`${place}: ${textOf(before)} → ${textOf(after)}`];
}

const isSame = (before: unknown, after: unknown): boolean =>
  before === undefined || after === undefined
    ? before === after
    : canonicalJson(before) === canonicalJson(after);

const namesOf = (before: unknown, after: unknown): readonly string[] =>
  [...new Set([before, after].filter(isJsonObject).flatMap((value) => Object.keys(value)))].sort();

function textOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = canonicalJson(value);
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
