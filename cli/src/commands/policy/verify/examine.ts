import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type JsonObject, PolicyRefused, tablesOf } from '@tenure/policy';
import { type LoadedPolicy } from '../policy-options.js';
import { type Progress } from '../worker-threads.js';
import { askAll, type Group, layoutOf } from './answers.js';
import {
  allowedIsVisible,
  type AnswerInvariant,
  listsShowOnlyWhatGetShows,
  listsStayInTheProject,
  maskedIsNotWritable,
  moreRolesNeverLess,
  nobodyOwnsForNobody,
  unrelatedTokensGetNothing,
  oldRolesCountForNothing,
  type PairInvariant,
  projectsCreateForThemselves,
  projectsEnrolNoNodes,
  readersChangeNothing,
  servicesBuildNoFleet,
  strongerCoversWeaker,
  thirdPartiesReachNoNode,
  thirdPartiesReachNothingOwned,
} from './invariants.js';
import { byRoles, foreignAndUnowned, listAndRow, type Pairs } from './pairs.js';
import { type QueryTables, queryTablesOf } from './probes.js';
import { createTally, type Finding, type Tally } from './tally.js';
import {
  ladderPairs,
  ROLE_SETS,
  type Scope,
  scopesOf,
  subsetPairs,
  SWITCHES,
  type SwitchSetting,
  settingsOf,
} from './vocabulary.js';

const ANSWER_INVARIANTS: readonly AnswerInvariant[] = [
  thirdPartiesReachNoNode,
  thirdPartiesReachNothingOwned,
  listsStayInTheProject,
  projectsEnrolNoNodes,
  projectsCreateForThemselves,
  readersChangeNothing,
  servicesBuildNoFleet,
  unrelatedTokensGetNothing,
  oldRolesCountForNothing,
  maskedIsNotWritable,
  allowedIsVisible,
];

const PAIR_INVARIANTS: readonly (readonly [PairInvariant, Pairs])[] = [
  [strongerCoversWeaker, byRoles(ladderPairs())],
  [moreRolesNeverLess, byRoles(subsetPairs())],
  [nobodyOwnsForNobody, foreignAndUnowned],
  [listsShowOnlyWhatGetShows, listAndRow],
];

/** A part of the work, or all of it. */
export interface Assignment {
  /** The actions to evaluate. */
  readonly actions: readonly string[];
  /** The sets of switches to evaluate under. */
  readonly settings: readonly SwitchSetting[];
}

/** The findings, and the number of questions. */
export interface Examination {
  readonly questions: number;
  /** One for each invariant, always in the same order. */
  readonly findings: readonly Finding[];
}

/** The switches of the policy itself. */
export const ownSetting = (policy: LoadedPolicy): SwitchSetting =>
  defaultsOf(tablesOf(policy.data).switches);

/**
 * @param only the actions to evaluate; all of the table when empty
 * @param ownSwitches evaluate under the policy's own switches alone, not under every combination
 * @throws PolicyRefused for an action that the policy does not have
 */
export function assignmentOf(
  policy: LoadedPolicy,
  only: readonly string[],
  ownSwitches: boolean,
): Assignment {
  const all = Object.keys(tablesOf(policy.data).actions);
  const stranger = only.find((action) => !all.includes(action));
  if (stranger !== undefined) throw new PolicyRefused(`the policy has no action ${stranger}`);
  const own = ownSetting(policy);
  return {
    actions: only.length === 0 ? all : only,
    settings: ownSwitches ? [own] : settingsOf(own),
  };
}

/** Every scope that a caller of this policy can have. */
export const scopesFor = (policy: LoadedPolicy): readonly Scope[] =>
  scopesOf(tablesOf(policy.data).switches);

/**
 * Puts every question in the vocabulary of `vocabulary.ts` to a policy, and checks the answers against the invariants.
 * @throws PolicyRefused or PolicyFailure when the policy cannot be evaluated
 */
export async function examine(
  policy: LoadedPolicy,
  { actions, settings }: Assignment,
  progress: Progress,
): Promise<Examination> {
  const tables = queryTablesOf(policy.data);
  const scopes = scopesFor(policy);
  const ranks = { defaults: ownSetting(policy), scopes: scopes.map(({ name }) => name) };
  const layouts = scopes.map((scope) => layoutOf(scope, tables, actions));
  const alone = ANSWER_INVARIANTS.map((each) => [each, createTally(each, ranks)] as const);
  const paired = PAIR_INVARIANTS.map(
    ([each, pairs]) => [each, pairs, createTally(each, ranks)] as const,
  );
  let questions = 0;
  let done = 0;
  for (const setting of settings) {
    const engine = await policy.under(setting);
    for (const layout of layouts) {
      const group = askAll(engine, setting, layout);
      judgeAnswers(group, tables, alone);
      for (const each of paired) judgePairs(group, tables, each);
      questions += group.size;
      done += 1;
      progress(questions, done / (settings.length * layouts.length));
      // Lets Ctrl-C and the policy's timers run.
      await yieldToEventLoop();
    }
  }
  const tallies = [...alone.map(([, tally]) => tally), ...paired.map(([, , tally]) => tally)];
  return { questions, findings: tallies.map((tally) => tally.finding()) };
}

function defaultsOf(switches: JsonObject): SwitchSetting {
  const entries = SWITCHES.map((name) => [name, switches[name] === true]);
  return Object.fromEntries(entries) as SwitchSetting; // one entry for each switch
}

function judgeAnswers(
  group: Group,
  tables: QueryTables,
  judged: readonly (readonly [AnswerInvariant, Tally])[],
): void {
  for (const [at, { probe }] of group.layout.cells.entries())
    for (const action of probe.actions)
      for (const roles of ROLE_SETS.keys()) {
        const first = group.at(roles, at, action);
        for (const [invariant, tally] of judged) {
          tally.look();
          const because = invariant.breaks(first.query, first.answer, tables);
          if (because !== undefined) tally.violated({ first, second: undefined, because });
        }
      }
}

function judgePairs(
  group: Group,
  tables: QueryTables,
  [invariant, pairs, tally]: readonly [PairInvariant, Pairs, Tally],
): void {
  for (const [second, first] of pairs(group, tables)) {
    tally.look();
    const because = invariant.breaks(second, first, tables);
    if (because !== undefined) tally.violated({ first, second, because });
  }
}
