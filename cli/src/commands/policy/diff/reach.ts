import { canonicalJson, isJsonObject, type JsonObject, memberOf, tablesOf } from '@tenure/policy';
import { type LoadedPolicy } from '../policy-options.js';
import { type Both } from './compare.js';

const STRING = /"((?:[^"\\]|\\.)*)"/gu;

type Rows = Readonly<Record<string, unknown>>;

/**
 * The actions whose answers can differ between two policies that have the same rules and differ in rows of the action table
 * only: a rule finds a row by the name of its action, which is in the question, in another row, or in a text of the rules.
 * @returns undefined when the tables do not show it, so that every question must be evaluated
 */
export function reachOf(policies: Both<LoadedPolicy>): readonly string[] | undefined {
  if (!isSameRules(policies)) return undefined;
  const [older, newer] = policies;
  const tables = [tablesOf(older.data).actions, tablesOf(newer.data).actions] as const;
  const reached = naming(changedRows(...tables), tables);
  const elsewhere = [...textsIn(withoutRows(newer.data)), ...actionTextsIn(newer.material.sources)];
  const isNamed = [...reached].some((action) =>
    elsewhere.some((text) => text === action || (text.includes(':') && action.includes(text))),
  );
  return isNamed ? undefined : [...reached].sort();
}

const isSameRules = ([older, newer]: Both<LoadedPolicy>): boolean =>
  Buffer.from(older.material.wasm).equals(newer.material.wasm) &&
  Object.keys(newer.material.sources).length > 0 &&
  canonicalJson(withoutRows(older.data)) === canonicalJson(withoutRows(newer.data));

/** The changed rows, the rows that name one of these, and so on. */
function naming(changed: readonly string[], tables: Both<Rows>): ReadonlySet<string> {
  const reached = new Set(changed);
  for (let before = 0; before !== reached.size;) {
    before = reached.size;
    for (const [action, row] of tables.flatMap((rows) => Object.entries(rows)))
      if (textsIn(row).some((text) => reached.has(text))) reached.add(action);
  }
  return reached;
}

const changedRows = (older: Rows, newer: Rows): readonly string[] =>
  [...new Set([...Object.keys(older), ...Object.keys(newer)])].filter((action) => {
    const [one, other] = [older[action], newer[action]];
    return one === undefined || other === undefined || canonicalJson(one) !== canonicalJson(other);
  });

/** Every text in a value: rows name other actions in their values. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isJsonObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

function withoutRows(data: JsonObject): JsonObject {
  const tenure = memberOf(data, 'tenure');
  return {
    ...data,
    tenure: { ...(isJsonObject(tenure) ? tenure : {}), actions: null },
  };
}

/** Texts in the rules, without tests and comments, that contain names of actions. */
const actionTextsIn = (sources: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(sources)
    .filter(([name]) => !name.endsWith('_test.rego'))
    .flatMap(([, text]) => text.split('\n'))
    .filter((line) => !line.trimStart().startsWith('#'))
    .flatMap((line) => [...line.matchAll(STRING)].map(([, content = '']) => content))
    .filter((content) => content.length > 1 && content.includes(':'));
