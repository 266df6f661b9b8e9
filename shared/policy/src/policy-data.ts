import { createHash } from 'node:crypto';
import { PolicyRefused } from './failures.js';
import { canonicalJson, isJsonObject, type JsonObject, memberOf } from './json-object.js';

/** A row of the action table. This package reads only `grants` and `legacy`; the policy reads the rest. */
type ActionRow = JsonObject & { readonly grants: readonly string[] };

/** `data.tenure` of a bundle: the tables that the policy reads. */
export interface PolicyTables {
  readonly actions: Readonly<Record<string, ActionRow>>;
  readonly grants: readonly string[];
  readonly switches: JsonObject;
}

/** Values for `data.tenure.switches`; one that is undefined leaves what the bundle says. */
export type SwitchValues = Readonly<Record<string, boolean | string | undefined>>;

/**
 * The tables in a bundle's data.
 * @throws PolicyRefused when one is missing: without its table the policy would deny everything, silently
 */
export function tablesOf(data: unknown): PolicyTables {
  const tenure = memberOf(data, 'tenure');
  const actions = memberOf(tenure, 'actions');
  if (!isJsonObject(actions) || Object.keys(actions).length === 0)
    return refuse('action table (tenure.actions)');
  for (const [action, row] of Object.entries(actions))
    if (!isRow(row)) return refuse(`row for ${action} in the action table`);
  const catalogue = memberOf(memberOf(tenure, 'grants'), 'catalogue');
  if (!isJsonObject(catalogue) || Object.keys(catalogue).length === 0)
    return refuse('list of grants (tenure.grants.catalogue)');
  const switches = memberOf(tenure, 'switches');
  if (!isJsonObject(switches)) return refuse('switches (tenure.switches)');
  // every row was checked above
  const rows = actions as Readonly<Record<string, ActionRow>>;
  return { actions: rows, grants: Object.keys(catalogue), switches };
}

/**
 * The data with these switches set.
 * @throws PolicyRefused for a switch that the policy does not have: setting it would change nothing, unnoticed
 */
export function withSwitches(data: unknown, values: SwitchValues): JsonObject {
  const { switches } = tablesOf(data);
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  for (const [name] of given)
    if (!Object.hasOwn(switches, name))
      throw new PolicyRefused(`the policy has no switch ${name}; to set it would change nothing`);
  return withTables(data, { switches: { ...switches, ...Object.fromEntries(given) } });
}

/** The data with these rows' grants replaced; the deprecated ways of a replaced row do not count any more. */
export function withGrants(
  data: unknown,
  rows: ReadonlyMap<string, readonly string[]>,
): JsonObject {
  const { actions } = tablesOf(data);
  const replaced = Object.entries(actions).map(([action, row]): [string, JsonObject] => {
    const grants = rows.get(action);
    if (grants === undefined) return [action, row];
    const kept = Object.entries(row).filter(([name]) => name !== 'legacy');
    return [action, { ...Object.fromEntries(kept), grants }];
  });
  return withTables(data, { actions: Object.fromEntries(replaced) });
}

/** Digest of the policy and of its data with overlays and switches: two answers of one revision came from one policy. */
export const revisionOf = (wasm: Uint8Array, data: unknown): string =>
  `sha256:${sha256(`${sha256(wasm)}\n${sha256(canonicalJson(data))}\n`)}`;

function refuse(what: string): never {
  throw new PolicyRefused(`the bundle's data.json has no usable ${what}`);
}

function isRow(value: unknown): value is ActionRow {
  const grants = memberOf(value, 'grants');
  return Array.isArray(grants) && grants.every((name) => typeof name === 'string');
}

function withTables(data: unknown, changed: JsonObject): JsonObject {
  const tenure = memberOf(data, 'tenure');
  return {
    ...(isJsonObject(data) ? data : {}),
    tenure: { ...(isJsonObject(tenure) ? tenure : {}), ...changed },
  };
}

const sha256 = (content: Uint8Array | string): string =>
  createHash('sha256').update(content).digest('hex');
