import { hasAnswerShape, isJsonObject, type PolicyAnswer, PolicyFailure } from '@tenure/policy';
import { type WasmPolicy } from '@tenure/policy/runtime';
import { type QueryTables, type FieldProbe, type Probe, probesOf } from './probes.js';
import { type Answered, questionPart } from './query.js';
import { type Target, targetsOf } from './targets.js';
import { ROLE_SETS, type Scope, type SwitchSetting } from './vocabulary.js';

/** A probe about one target: one batch of questions. */
interface Cell {
  readonly target: Target;
  readonly probe: Probe;
}

/** The questions of callers of one scope, for any switches and roles. */
export interface Layout {
  readonly scope: Scope;
  readonly cells: readonly Cell[];
  /** Index of the cell with this question, or undefined when there is none. */
  readonly find: (
    action: string,
    target: Target,
    field: FieldProbe | undefined,
  ) => number | undefined;
}

type Answers = Readonly<Record<string, PolicyAnswer>>;

/** All answers to callers of one scope under one set of switches. */
export interface Group {
  readonly setting: SwitchSetting;
  readonly layout: Layout;
  /** @param roles index into ROLE_SETS; @param cell index into the layout's cells */
  readonly at: (roles: number, cell: number, action: string) => Answered;
  /** Number of questions answered. */
  readonly size: number;
}

/** @param actions the actions to evaluate */
export function layoutOf(scope: Scope, tables: QueryTables, actions: readonly string[]): Layout {
  const cells = probesOf(tables, actions).flatMap((probe) =>
    targetsOf(probe.type, scope, tables.resources)
      .map((target): Cell => ({ target, probe }))
      .filter(isQueried),
  );
  const places = new Map(
    cells.flatMap(({ target, probe }, at) =>
      probe.actions.map((action) => [keyOf(action, target, probe.field), at] as const),
    ),
  );
  return { scope, cells, find: (...question) => places.get(keyOf(...question)) };
}

/**
 * Evaluates every question of the layout for every set of roles.
 * @throws PolicyFailure when the policy fails, or its answer is not a decision
 */
export function askAll(policy: WasmPolicy, setting: SwitchSetting, layout: Layout): Group {
  const { scope, cells } = layout;
  const answers = ROLE_SETS.map((roles) =>
    cells.map((cell) => askCell(policy, scope, roles, cell)),
  );
  const size = cells.reduce((sum, { probe }) => sum + probe.actions.length, 0) * ROLE_SETS.length;
  return {
    setting,
    layout,
    size,
    at: (roles, cell, action) => {
      const answer = answers[roles]?.[cell]?.[action];
      const found = cells[cell];
      const roleSet = ROLE_SETS[roles];
      if (answer === undefined || found === undefined || roleSet === undefined)
        throw new RangeError('no such question in the layout');
      const { target, probe } = found;
      return {
        query: { setting, scope, roles: roleSet, target, action, field: probe.field },
        answer,
      };
    },
  };
}

/** Empty ids are tried without fields: with them they would double the questions and add no case. */
const isQueried = ({ target, probe }: Cell): boolean =>
  probe.field === undefined || target.relation !== 'blank';

const keyOf = (action: string, target: Target, field: FieldProbe | undefined): string =>
  [action, target.type, target.relation, target.public, field?.name, field?.value].join('|');

function askCell(policy: WasmPolicy, scope: Scope, roles: readonly string[], cell: Cell): Answers {
  const { target, probe } = cell;
  const question = questionPart({ scope, roles }, target, probe.field);
  const answers = policy.evaluate('batch', { ...question, actions: probe.actions });
  for (const action of probe.actions)
    if (!isJsonObject(answers) || !hasAnswerShape(answers[action]))
      throw new PolicyFailure(
        `the policy's answer is not a decision: ${JSON.stringify({ action, ...question })}`,
      );
  return answers as Answers; // each was just checked
}
