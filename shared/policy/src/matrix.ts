import { typesOf, type TypedTables } from './action-types.js';
import { type AskablePolicy, askerFor, questionAbout, typedTablesOf } from './asking.js';
import { type JsonObject, memberOf } from './json-object.js';
import { type Persona, PERSONAS } from './personas.js';
import { type PolicyAnswer } from './policy-answer.js';
import { type SwitchValues, tablesOf } from './policy-data.js';
import { byTopic } from './topics.js';

/** The decision on one action for one caller: a letter of the legend. */
export type Cell = 'A' | 'P' | '0' | '-' | '.';

/** The meaning of each letter, in the order of a legend. */
export const LEGEND: readonly (readonly [Cell, string])[] = [
  ['A', 'allowed'],
  ['P', 'allowed; rows, or the owner of what is created, limited to the caller’s project'],
  ['0', 'allowed, but no row is listed'],
  ['-', 'refused (403)'],
  ['.', 'not visible (404)'],
];

export interface MatrixRow {
  readonly action: string;
  /** One for each persona, in their order. */
  readonly cells: readonly Cell[];
}

export interface Matrix {
  readonly personas: readonly Persona[];
  /** The switches of all questions, except those that a persona needs. */
  readonly switches: JsonObject;
  readonly topics: readonly { readonly title: string; readonly rows: readonly MatrixRow[] }[];
}

/** The letter for an answer. */
export function cellOf({ allow, visible, filter, set }: PolicyAnswer, isList: boolean): Cell {
  if (!visible) return '.';
  if (!allow) return '-';
  if (isList && filter.mode === 'none') return '0';
  return (isList && filter.mode === 'any_of') || set.owner !== undefined ? 'P' : 'A';
}

/** The question of a cell: a persona acts on its own resource. */
export const cellQuestion = (
  { subject, tenancy }: Persona,
  action: string,
  tables: TypedTables,
): JsonObject =>
  questionAbout(action, subject === null ? null : { user_id: 'user', ...subject }, {
    type: typesOf(action, tables)[0],
    ...tenancy,
  });

/**
 * Asks the policy about every action, as every persona.
 * @throws PolicyRefused for a switch that the policy does not have, PolicyFailure when it cannot be evaluated
 */
export async function matrixOf(policy: AskablePolicy, switches: SwitchValues): Promise<Matrix> {
  const { actions, switches: own } = tablesOf(policy.data);
  const tables = typedTablesOf(policy);
  const columns = await Promise.all(
    PERSONAS.map((persona) => columnOf(policy, persona, tables, switches)),
  );
  return {
    personas: PERSONAS,
    switches: { ...own, ...switches },
    topics: byTopic(Object.keys(actions)).map((topic) => ({
      title: topic.title,
      rows: topic.actions.map((action) => ({
        action,
        cells: columns.map((column) => column.get(action) ?? '-'),
      })),
    })),
  };
}

async function columnOf(
  policy: AskablePolicy,
  persona: Persona,
  tables: TypedTables,
  switches: SwitchValues,
): Promise<ReadonlyMap<string, Cell>> {
  const ask = askerFor(await policy.under({ ...switches, ...persona.switches }));
  return new Map(
    Object.keys(tables.actions).map((action) => [
      action,
      cellOf(
        ask(cellQuestion(persona, action, tables)),
        memberOf(tables.actions[action], 'kind') === 'list',
      ),
    ]),
  );
}
