import { PolicyRefused, wordsOf } from './failures.js';
import { isJsonObject } from './json-object.js';

/** One row of an overlay: this action, these grants and no others. `line` counts from 1. */
export interface OverlayRow {
  readonly action: string;
  readonly grants: readonly string[];
  readonly line: number;
}

/** @throws PolicyRefused always, naming file, line and rule: the one form of every overlay error */
export const refuseOverlay = (
  where: { readonly file: string; readonly line: number; readonly rule?: string },
  what: string,
): never => {
  const rule = where.rule === undefined ? '' : `, rule ${where.rule}`;
  throw new PolicyRefused(`overlay ${where.file}, line ${where.line}${rule}: ${what}`);
};

const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((name) => typeof name === 'string');

const lineOfOffset = (text: string, offset: number): number =>
  text.slice(0, Math.max(0, offset)).split('\n').length;

const jsonFault = (text: string): string | undefined => {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return wordsOf(error);
  }
};

// Whether these first lines are wrong whatever follows them, and not only unfinished.
const isBroken = (lines: readonly string[]): boolean => {
  const text = lines.join('\n');
  const fault = jsonFault(text);
  if (fault === undefined || /end of JSON input|Unterminated string/u.test(fault)) return false;
  const position = /position (\d+)/u.exec(fault)?.[1];
  return position === undefined || Number(position) < text.trimEnd().length;
};

// JSON.parse does not always say where; the first line that breaks the text is found by halving.
const brokenLine = (text: string): number => {
  const lines = text.split('\n');
  let sound = 0;
  let broken = lines.length;
  while (broken - sound > 1) {
    const middle = Math.floor((sound + broken) / 2);
    if (isBroken(lines.slice(0, middle))) broken = middle;
    else sound = middle;
  }
  return broken;
};

const parseJsonText = (file: string, text: string): unknown =>
  jsonFault(text) === undefined
    ? JSON.parse(text)
    : refuseOverlay({ file, line: brokenLine(text) }, 'not valid JSON');

// JSON.parse keeps the last of two equal members, silently.
const placesOf = (text: string, action: string): readonly number[] => {
  const name = JSON.stringify(action).replaceAll(/[.*+?^${}()|[\]\\]/gu, '\\$&');
  return [...text.matchAll(new RegExp(`${name}\\s*:`, 'gu'))].map((match) => match.index);
};

const rowsOfJson = (file: string, text: string): readonly OverlayRow[] => {
  const parsed = parseJsonText(file, text);
  if (!isJsonObject(parsed))
    return refuseOverlay({ file, line: 1 }, 'must be an object of action and list of grants');
  return Object.entries(parsed).map(([action, grants]) => {
    const [first, second] = placesOf(text, action);
    const line = lineOfOffset(text, first ?? 0);
    if (second !== undefined)
      return refuseOverlay(
        { file, line: lineOfOffset(text, second), rule: action },
        'is named twice',
      );
    if (!isNames(grants))
      return refuseOverlay({ file, line, rule: action }, 'must be a list of grant names');
    return { action, grants, line };
  });
};

// The YAML that an overlay needs and no more: `action: [grant, grant]`, or `action:` and `- grant` lines.
const INLINE_ROW = /^(?<action>[A-Za-z0-9_:.-]+):\s+\[(?<list>[^[\]]*)\]$/u;
const OPEN_ROW = /^(?<action>[A-Za-z0-9_:.-]+):$/u;
const ITEM = /^\s*-\s+(?<name>\S+)$/u;
const NAME = /^[A-Za-z0-9_-]+$/u;

const unquoted = (text: string): string => /^(["'])(.*)\1$/u.exec(text)?.[2] ?? text;

const withoutComment = (line: string): string => line.replace(/(^|\s)#.*$/u, '').trimEnd();

const listed = (list: string): readonly string[] =>
  list.trim() === '' ? [] : list.split(',').map((name) => unquoted(name.trim()));

interface GrowingRow {
  readonly action: string;
  readonly grants: string[];
  readonly line: number;
  readonly open: boolean;
}

const startOfRow = (content: string, line: number): GrowingRow | undefined => {
  const inline = INLINE_ROW.exec(content)?.groups;
  if (inline !== undefined)
    return {
      action: inline['action'] ?? '',
      grants: [...listed(inline['list'] ?? '')],
      line,
      open: false,
    };
  const action = OPEN_ROW.exec(content)?.groups?.['action'];
  return action === undefined ? undefined : { action, grants: [], line, open: true };
};

const normalised = (raw: string): string =>
  withoutComment(raw).replace(/^(["'])([^"']+)\1:/u, '$2:');

/** Takes one line into the rows; false when it is none that an overlay has. */
const takeLine = (rows: GrowingRow[], content: string, line: number): boolean => {
  const row = startOfRow(content, line);
  const item = ITEM.exec(content)?.groups?.['name'];
  const last = rows.at(-1);
  if (row !== undefined) rows.push(row);
  else if (item !== undefined && last?.open === true) last.grants.push(unquoted(item));
  else return false;
  return true;
};

const growRows = (file: string, text: string): readonly GrowingRow[] => {
  const rows: GrowingRow[] = [];
  for (const [index, raw] of text.split(/\r?\n/u).entries()) {
    const content = normalised(raw);
    if (content === '' || content === '---' || takeLine(rows, content, index + 1)) continue;
    const rule = rows.at(-1)?.action;
    return refuseOverlay(
      { file, line: index + 1, ...(rule !== undefined && { rule }) },
      'expected "action: [grant, grant]", or "action:" followed by "- grant" lines',
    );
  }
  return rows;
};

const rowsOfYaml = (file: string, text: string): readonly OverlayRow[] => {
  const seen = new Set<string>();
  return growRows(file, text).map(({ action, grants, line, open }) => {
    const where = { file, line, rule: action };
    if (seen.has(action)) return refuseOverlay(where, 'is named twice');
    seen.add(action);
    // A row left empty by mistake would shut everybody out; who means that writes [].
    if (open && grants.length === 0)
      return refuseOverlay(where, 'has no grants; write [] for none');
    for (const grant of grants)
      if (!NAME.test(grant)) return refuseOverlay(where, `"${grant}" is not a grant name`);
    return { action, grants, line };
  });
};

/**
 * The rows of an overlay file: a JSON object, or (`.yaml`, `.yml`) lines such as
 * `os_compute_api:servers:delete: [creator, system_admin]`.
 * @throws PolicyRefused naming file and line
 */
export const parseOverlay = (file: string, text: string): readonly OverlayRow[] =>
  /\.ya?ml$/iu.test(file) ? rowsOfYaml(file, text) : rowsOfJson(file, text);
