import {
  isJsonObject,
  type JsonObject,
  memberOf,
  tablesOf,
  type TypedTables,
  typesOf,
} from '@tenure/policy';
import { OTHER_OWNER } from './targets.js';

/** One way to query a resource type: some actions at once, perhaps with a field that they write. */
export interface Probe {
  readonly type: string;
  readonly actions: readonly string[];
  readonly field: FieldProbe | undefined;
}

/** A field that a create or an update touches, and the value that the policy judges. */
export interface FieldProbe {
  readonly name: string;
  readonly value: boolean | string | undefined;
}

/** The tables of a policy that questions are made from. */
export interface QueryTables extends TypedTables {
  /** `data.tenure.fields.tables`. */
  readonly fieldTables: JsonObject;
}

/** The policy's own limit. */
const BATCH = 64;
const UNKNOWN_FIELD = 'a_field_that_no_table_has';

const FOR_OTHERS: FieldProbe = { name: 'owner', value: OTHER_OWNER };

/** Reads them from a policy's data. */
export const queryTablesOf = (data: JsonObject): QueryTables => ({
  actions: tablesOf(data).actions,
  resources: objectAt(data, 'tenure', 'resources'),
  fieldTables: objectAt(data, 'tenure', 'fields', 'tables'),
});

/** Splits names into batches of the size that the policy accepts. */
export const inBatches = (names: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(names.length / BATCH) }, (_, at) =>
    names.slice(at * BATCH, (at + 1) * BATCH),
  );

/**
 * Every question without its caller, target and switches.
 * @param selected the actions to evaluate
 */
export function probesOf(tables: QueryTables, selected: readonly string[]): readonly Probe[] {
  const plain = [...groupedByType(selected, tables)].flatMap(([type, names]) =>
    inBatches(names).map((actions): Probe => ({ type, actions, field: undefined })),
  );
  const isSelected = (action: string): boolean => selected.includes(action);
  const written = Object.entries(tables.fieldTables)
    .filter(([, table]) => judgesWrites(table))
    .flatMap(([name, table]) =>
      [...groupedByType(writersOf(name, tables).filter(isSelected), tables)].flatMap(
        ([type, actions]) => fieldsOf(table).map((field): Probe => ({ type, actions, field })),
      ),
    );
  const foreign = createdForOthers(selected, tables);
  return [...plain, ...written, ...(foreign.actions.length === 0 ? [] : [foreign])];
}

function objectAt(data: JsonObject, ...path: readonly string[]): JsonObject {
  const found = path.reduce<unknown>(memberOf, data);
  return isJsonObject(found) ? found : {};
}

function groupedByType(
  names: readonly string[],
  tables: QueryTables,
): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const name of names)
    for (const type of typesOf(name, tables)) groups.set(type, [...(groups.get(type) ?? []), name]);
  return groups;
}

/** Whether a table has rules for writes; others only mask. */
const judgesWrites = (table: unknown): boolean => memberOf(table, 'update') !== undefined;

function writersOf(table: string, { actions, fieldTables }: QueryTables): readonly string[] {
  const general = memberOf(memberOf(fieldTables, table), 'update');
  return Object.keys(actions).filter(
    (name) =>
      name === general ||
      (memberOf(actions[name], 'kind') === 'create' && memberOf(actions[name], 'table') === table),
  );
}

function fieldsOf(table: unknown): readonly FieldProbe[] {
  const keys = (member: string): readonly string[] => {
    const found = memberOf(table, member);
    return isJsonObject(found) ? Object.keys(found) : [];
  };
  const names = new Set([...keys('write'), ...keys('view'), UNKNOWN_FIELD]);
  const judged = keys('off').flatMap((name) =>
    [true, false].map((value): FieldProbe => ({ name, value })),
  );
  return [...[...names].map((name): FieldProbe => ({ name, value: undefined })), ...judged];
}

/** Creates of resources that will have an owner, where the body names another project as the owner. */
function createdForOthers(selected: readonly string[], tables: QueryTables): Probe {
  const actions = selected.filter(
    (name) =>
      memberOf(tables.actions[name], 'kind') === 'create' && typesOf(name, tables)[0] === 'none',
  );
  return { type: 'none', actions, field: FOR_OTHERS };
}
