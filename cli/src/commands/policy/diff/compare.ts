import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import {
  hasAnswerShape,
  type JsonObject,
  memberOf,
  type PolicyAnswer,
  PolicyFailure,
  tablesOf,
} from '@tenure/policy';
import { type WasmPolicy } from '@tenure/policy/runtime';
import { type LoadedPolicy } from '../policy-options.js';
import { type Progress } from '../worker-threads.js';
import { ROLE_SETS } from './callers.js';
import { type ChangeGroup, changesOf, createCollection } from './changes.js';
import { type Cell, type Model, questionPart, type SwitchSetting } from './model.js';
import { relationText } from './relations.js';

/** The number of questions, and the answers that differ. */
export interface Comparison {
  /** Questions to each of the two policies. */
  readonly questions: number;
  readonly changes: readonly ChangeGroup[];
}

/** The old one and the new one. */
export type Both<Value> = readonly [older: Value, newer: Value];

/** Cells between two yields to the event loop, for progress and for Ctrl-C. */
const STRIDE = 500;

interface Query {
  readonly cell: Cell;
  readonly roles: number;
  readonly setting: readonly [number, SwitchSetting];
  readonly question: JsonObject;
}

/**
 * Puts every question of the model to two policies, under some of its settings.
 * @param settings indexes into the model's settings
 * @throws PolicyRefused or PolicyFailure when one of them cannot be evaluated
 */
export async function compare(
  [older, newer]: Both<LoadedPolicy>,
  model: Model,
  settings: readonly number[],
  progress: Progress,
): Promise<Comparison> {
  const changes: ChangeGroup[] = [];
  let questions = 0;
  let done = 0;
  const all = settings.length * model.cells.length;
  for (const at of settings) {
    const setting = model.settings[at];
    if (setting === undefined) continue;
    const engines = [
      await older.under(ownSwitches(older, setting)),
      await newer.under(ownSwitches(newer, setting)),
    ] as const;
    const collection = createCollection();
    for (const cell of model.cells) {
      for (const [roles, names] of ROLE_SETS.entries()) {
        const question = questionPart(cell, names);
        compareCell(
          engines,
          { cell, roles, setting: [at, setting], question },
          model,
          collection.add,
        );
      }
      questions += cell.probe.actions.length * ROLE_SETS.length;
      done += 1;
      if (done % STRIDE === 0 || done === all) {
        progress(questions, done / all);
        await yieldToEventLoop();
      }
    }
    changes.push(...collection.groups());
  }
  return { questions, changes };
}

function ownSwitches(policy: LoadedPolicy, setting: SwitchSetting): SwitchSetting {
  const declared = tablesOf(policy.data).switches;
  return Object.fromEntries(
    Object.entries(setting).filter(([name]) => Object.hasOwn(declared, name)),
  );
}

function compareCell(
  engines: Both<WasmPolicy>,
  query: Query,
  { tables }: Model,
  found: (group: ChangeGroup) => void,
): void {
  const { probe } = query.cell;
  const { actions } = probe;
  const ask = (engine: WasmPolicy): unknown =>
    engine.evaluate('batch', { ...query.question, actions });
  const [older, newer] = [ask(engines[0]), ask(engines[1])];
  for (const action of actions) {
    const isList = memberOf(tables.actions[action], 'kind') === 'list';
    const answers = [
      answerTo(older, action, query.question),
      answerTo(newer, action, query.question),
    ] as const;
    for (const group of groupsOf(query, action, answers, isList)) found(group);
  }
}

function answerTo(answers: unknown, action: string, question: JsonObject): PolicyAnswer {
  const answer = memberOf(answers, action);
  if (!hasAnswerShape(answer))
    throw new PolicyFailure(
      `the policy's answer is not a decision: ${JSON.stringify({ action, ...question })}`,
    );
  return answer;
}

const groupsOf = (
  { cell, roles, setting: [at, switches], question }: Query,
  action: string,
  [older, newer]: Both<PolicyAnswer>,
  isList: boolean,
): readonly ChangeGroup[] =>
  changesOf(older, newer, isList).map(({ direction, kind, of }) => ({
    direction,
    action,
    kind,
    scopes: [cell.scope.name],
    relations: [relationText(cell.target)],
    types: [cell.target.type],
    fields: fieldTexts(cell),
    details: of === '' ? [] : [of],
    grants: direction === 'lost' ? older.grants : newer.grants,
    roles: [roles],
    settings: [at],
    questions: 1,
    example: { switches, question: { action, ...question }, old: older, new: newer },
  }));

function fieldTexts({ probe: { field } }: Cell): readonly string[] {
  if (field === undefined) return [];
  return [field.value === undefined ? field.name : `${field.name} = ${String(field.value)}`];
}
