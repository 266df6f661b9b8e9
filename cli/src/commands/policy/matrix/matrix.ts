import {
  isPolicyAnswer,
  isJsonObject,
  type JsonObject,
  memberOf,
  type PolicyAnswer,
  PolicyFailure,
  type SwitchValues,
  tablesOf,
  type TypedTables,
  typesOf,
} from '@tenure/policy';
import { type LoadedPolicy } from '../policy-options.js';
import { type Persona, PERSONAS } from './personas.js';
import { byTopic } from './topics.js';

/** What one caller gets of one action: a letter of the legend. */
export type Cell = 'A' | 'P' | '0' | '-' | '.';

/** What the letters mean, in the order of a legend. */
export const LEGEND: readonly (readonly [Cell, string])[] = [
  ['A', 'allowed'],
  ['P', 'allowed; rows, or the owner of what is created, limited to the own project'],
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
  /** The switches that everyone was asked under, but for those that a persona needs. */
  readonly switches: JsonObject;
  readonly topics: readonly { readonly title: string; readonly rows: readonly MatrixRow[] }[];
}

const NOW = '2026-11-21T06:00:00Z';

/** The letter for an answer. */
export const cellOf = ({ allow, visible, filter, set }: PolicyAnswer, isList: boolean): Cell => {
  if (!visible) return '.';
  if (!allow) return '-';
  if (isList && filter.mode === 'none') return '0';
  return (isList && filter.mode === 'any_of') || set.owner !== undefined ? 'P' : 'A';
};

const columnOf = async (
  policy: LoadedPolicy,
  { subject, tenancy, switches: own }: Persona,
  tables: TypedTables,
  switches: SwitchValues,
): Promise<ReadonlyMap<string, Cell>> => {
  const engine = await policy.under({ ...switches, ...own });
  const asker = subject === null ? null : { user_id: 'user', ...subject };
  return new Map(
    Object.keys(tables.actions).map((action) => {
      const [type] = typesOf(action, tables);
      const resource = { type, ...tenancy, tenancy_revision: 1 };
      const answer = engine.evaluate('decision', {
        action,
        subject: asker,
        resource,
        now: NOW,
      });
      if (!isPolicyAnswer(answer))
        throw new PolicyFailure(`the policy's answer about ${action} is not a decision`);
      return [action, cellOf(answer, memberOf(tables.actions[action], 'kind') === 'list')];
    }),
  );
};

/**
 * Asks the policy about every action, as every persona.
 * @throws PolicyRefused for a switch that the policy does not have, PolicyFailure when it cannot be asked
 */
export const matrixOf = async (policy: LoadedPolicy, switches: SwitchValues): Promise<Matrix> => {
  const { actions, switches: own } = tablesOf(policy.data);
  const resources = memberOf(memberOf(policy.data, 'tenure'), 'resources');
  const tables = { actions, resources: isJsonObject(resources) ? resources : {} };
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
};
