import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, type Scalar } from 'yaml';
import { PolicyRefused } from './failures.js';

/** A name in an overlay; `line` counts from 1. */
interface OverlayName {
  readonly name: string;
  readonly line: number;
}

/** One row of an overlay: this action, these grants and no others. `line` is the action's. */
export interface OverlayRow {
  readonly action: string;
  readonly grants: readonly OverlayName[];
  readonly line: number;
}

interface Place {
  readonly file: string;
  readonly line: number;
  readonly rule?: string;
}

/** The line where a node of the document begins, or undefined when it has no place of its own. */
type LineOf = (node: unknown) => number | undefined;

/** @throws PolicyRefused always, naming file, line and rule: the one form of every overlay error */
export function refuseOverlay({ file, line, rule }: Place, what: string): never {
  const named = rule === undefined ? '' : `, rule ${rule}`;
  throw new PolicyRefused(`overlay ${file}, line ${line}${named}: ${what}`);
}

/**
 * The rows of an overlay file, in YAML or JSON (which is YAML): lines such as
 * `os_compute_api:servers:delete: [creator, system_admin]`.
 * @throws PolicyRefused naming file and line
 */
export function parseOverlay(file: string, text: string): readonly OverlayRow[] {
  const lines = new LineCounter();
  const lineAt = (offset: number | undefined): number =>
    Math.max(1, lines.linePos(offset ?? 0).line);
  const lineOf: LineOf = (node) => (isNode(node) ? lineAt(node.range?.[0]) : undefined);
  const document = parseDocument(text, {
    lineCounter: lines,
    schema: 'core',
    uniqueKeys: false, // said below, with the rule's name
    prettyErrors: false,
    merge: false,
  });
  const [fault] = document.errors;
  if (fault !== undefined)
    return refuseOverlay({ file, line: lineAt(fault.pos[0]) }, `not valid YAML (${fault.code})`);
  const rows = document.contents;
  if (rows === null) return [];
  if (!isMap(rows))
    return refuseOverlay(
      { file, line: lineOf(rows) ?? 1 },
      'must be an object of action and list of grants',
    );
  const seen = new Map<string, number>();
  return rows.items.map(({ key, value }) => {
    const line = lineOf(key) ?? 1;
    if (!isText(key)) return refuseOverlay({ file, line }, 'an action must be a name');
    const place = { file, line, rule: key.value };
    const before = seen.get(key.value);
    if (before !== undefined)
      return refuseOverlay(place, `is named twice, first in line ${String(before)}`);
    seen.set(key.value, line);
    return { action: key.value, grants: grantsIn(place, value, lineOf), line };
  });
}

const isText = (node: unknown): node is Scalar<string> =>
  isScalar(node) && typeof node.value === 'string';

function grantsIn(place: Place, value: unknown, lineOf: LineOf): readonly OverlayName[] {
  // An empty row would deny everybody by mistake; the deliberate form is [].
  if (value === null || (isScalar(value) && value.value === null))
    return refuseOverlay(place, 'has no grants; write [] for none');
  if (!isSeq(value)) return refuseOverlay(place, 'must be a list of grant names');
  return value.items.map((item) => {
    const line = lineOf(item) ?? place.line;
    if (!isText(item)) return refuseOverlay({ ...place, line }, 'must be a list of grant names');
    return { name: item.value, line };
  });
}
