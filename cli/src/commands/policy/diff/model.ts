import { isDeepStrictEqual } from 'node:util';
import {
  isJsonObject,
  type JsonObject,
  memberOf,
  serviceProjectOf,
  tablesOf,
} from '@tenure/policy';
import { type LoadedPolicy } from '../policy-options.js';
import {
  type QueryTables,
  queryTablesOf,
  type FieldProbe,
  type Probe,
  probesOf,
} from '../verify/probes.js';
import { questionBy } from '../verify/query.js';
import { combinationsOf, type Scope, scopeNamed, scopesOf } from '../verify/vocabulary.js';
import { projectOf, ROLE_SETS } from './callers.js';
import { type Target, OTHER_PROJECT, resourceOfTarget, targetsFor } from './relations.js';

/** A set of values for the switches. */
export type SwitchSetting = Readonly<Record<string, boolean>>;

/** One batch of questions, but for the roles of the caller. */
export interface Cell {
  readonly scope: Scope;
  readonly target: Target;
  readonly probe: Probe;
}

/** The questions that are put to two policies. */
export interface Model {
  readonly tables: QueryTables;
  readonly scopes: readonly Scope[];
  readonly cells: readonly Cell[];
  /** Number of questions to each of the two. */
  readonly questions: number;
  /** Number of actions in the questions. */
  readonly actions: number;
  /** The boolean switches of either policy. */
  readonly switches: readonly string[];
  /** Every combination of them, the nearest to the new policy's own first. */
  readonly settings: readonly SwitchSetting[];
}

/** Placeholder for the project of the caller. */
const OWN = 'own project of the caller';

/** The same under one setting alone, the new policy's own. */
export const underOwnSwitches = (model: Model): Model => ({
  ...model,
  questions: model.questions / model.settings.length,
  settings: model.settings.slice(0, 1),
});

/**
 * The model over which two policies are compared.
 * @param only the actions to compare; all of both tables when empty
 */
export function modelOf(older: LoadedPolicy, newer: LoadedPolicy, only: readonly string[]): Model {
  const tables = bothTables(older.data, newer.data);
  const scopes = scopesFor(older, newer);
  const actions = Object.keys(tables.actions);
  const probes = withOwners(probesOf(tables, only.length === 0 ? actions : only));
  const cells = scopes.flatMap((scope) =>
    probes.flatMap((probe) =>
      targetsFor(probe.type, scope, tables.resources)
        .map((target): Cell => ({ scope, target, probe }))
        .filter(isQueried),
    ),
  );
  const switches = [...new Set([older, newer].flatMap(booleanSwitches))];
  const settings = combinationsOf(switches, tablesOf(newer.data).switches);
  return {
    tables,
    scopes,
    cells,
    questions: questionsIn(cells) * settings.length,
    actions: new Set(cells.flatMap(({ probe }) => probe.actions)).size,
    switches,
    settings,
  };
}

/** The question of a cell, but for its action or actions. */
export const questionPart = (cell: Cell, roles: readonly string[]): JsonObject =>
  questionBy(
    { scope: cell.scope, roles },
    resourceOfTarget(cell.target, cell.scope),
    fieldOf(cell),
  );

/** Rows, types and fields of either policy. */
function bothTables(older: JsonObject, newer: JsonObject): QueryTables {
  const [one, other] = [queryTablesOf(older), queryTablesOf(newer)];
  return {
    actions: { ...one.actions, ...other.actions },
    resources: joined(one.resources, other.resources),
    fieldTables: joined(one.fieldTables, other.fieldTables),
  };
}

function scopesFor(older: LoadedPolicy, newer: LoadedPolicy): readonly Scope[] {
  const scopes = scopesOf(tablesOf(older.data).switches);
  const other = serviceProjectOf(tablesOf(newer.data).switches);
  const isThere = scopes.some(({ claims }) => isDeepStrictEqual(claims, other.claims));
  return isThere ? scopes : [...scopes, scopeNamed(`service project ${other.label}`, other)];
}

/** Adds to the probes of `verify` writes of an owner: the caller's project and another one. */
const withOwners = (probes: readonly Probe[]): readonly Probe[] =>
  probes.flatMap((probe) =>
    probe.field?.name === 'owner' && probe.field.value === undefined
      ? [
          probe,
          ...[OWN, OTHER_PROJECT].map((value) => ({ ...probe, field: { name: 'owner', value } })),
        ]
      : probe.field?.value === undefined || typeof probe.field.value === 'boolean'
        ? [probe]
        : [probe, { ...probe, field: { name: probe.field.name, value: OWN } }],
  );

/** Empty ids are tried without fields: with them they would double the questions and add no case. */
const isQueried = ({ target, probe }: Cell): boolean =>
  probe.field === undefined || target.owner !== 'blank';

const booleanSwitches = (policy: LoadedPolicy): readonly string[] =>
  Object.entries(tablesOf(policy.data).switches)
    .filter(([, value]) => typeof value === 'boolean')
    .map(([name]) => name);

const questionsIn = (cells: readonly Cell[]): number =>
  cells.reduce((sum, { probe }) => sum + probe.actions.length, 0) * ROLE_SETS.length;

function joined(one: JsonObject, other: JsonObject): JsonObject {
  const members = Object.entries(other).map(([name, value]): [string, unknown] => {
    const before = memberOf(one, name);
    return [name, isJsonObject(before) && isJsonObject(value) ? joined(before, value) : value];
  });
  return { ...one, ...Object.fromEntries(members) };
}

/** The field that is written, with the caller's project in place of the placeholder. */
const fieldOf = ({ scope, probe: { field } }: Cell): FieldProbe | undefined =>
  field?.value === OWN ? { name: field.name, value: projectOf(scope) ?? OWN } : field;
