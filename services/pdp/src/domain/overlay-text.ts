import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type Scalar } from 'yaml';
import { PolicyRefused } from './failures.js';

/** One row of an overlay: this action, these grants and no others. `line` counts from 1. */
export interface OverlayRow {
  readonly action: string;
  readonly grants: readonly string[];
  readonly line: number;
}

interface Place {
  readonly file: string;
  readonly line: number;
  readonly rule?: string;
}

/** @throws PolicyRefused always, naming file, line and rule: the one form of every overlay error */
export const refuseOverlay = ({ file, line, rule }: Place, what: string): never => {
  const named = rule === undefined ? '' : `, rule ${rule}`;
  throw new PolicyRefused(`overlay ${file}, line ${line}${named}: ${what}`);
};

const isText = (node: unknown): node is Scalar<string> =>
  isScalar(node) && typeof node.value === 'string';

const grantsIn = (place: Place, value: unknown): readonly string[] => {
  // A row left empty by mistake would shut everybody out; who means that writes [].
  if (value === null || (isScalar(value) && value.value === null))
    return refuseOverlay(place, 'has no grants; write [] for none');
  if (!isSeq(value)) return refuseOverlay(place, 'must be a list of grant names');
  return value.items.map((item) =>
    isText(item) ? item.value : refuseOverlay(place, 'must be a list of grant names'),
  );
};

/**
 * The rows of an overlay file, in YAML or JSON (which is YAML): lines such as
 * `os_compute_api:servers:delete: [creator, system_admin]`.
 * @throws PolicyRefused naming file and line
 */
export const parseOverlay = (file: string, text: string): readonly OverlayRow[] => {
  const lines = new LineCounter();
  const lineAt = (offset: number | undefined): number =>
    Math.max(1, lines.linePos(offset ?? 0).line);
  const lineOf = (node: Node): number => lineAt(node.range?.[0]);
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
    return refuseOverlay({ file, line: 1 }, 'must be an object of action and list of grants');
  const seen = new Set<string>();
  return rows.items.map(({ key, value }) => {
    if (!isText(key)) return refuseOverlay({ file, line: 1 }, 'an action must be a name');
    const place = { file, line: lineOf(key), rule: key.value };
    if (seen.has(key.value)) return refuseOverlay(place, 'is named twice');
    seen.add(key.value);
    return { action: key.value, grants: grantsIn(place, value), line: place.line };
  });
};
