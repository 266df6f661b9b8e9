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
  type World,
  worldsOf,
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
  readonly worlds: readonly World[];
}

/** The findings, and the number of questions. */
export interface Examination {
  readonly questions: number;
  /** One for each invariant, always in the same order. */
  readonly findings: readonly Finding[];
}

/** The switches of the policy itself. */
export const ownWorld = (policy: LoadedPolicy): World => defaultsOf(tablesOf(policy.data).switches);

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
  const own = ownWorld(policy);
  return {
    actions: only.length === 0 ? all : only,
    worlds: ownSwitches ? [own] : worldsOf(own),
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
  { actions, worlds }: Assignment,
  progress: Progress,
): Promise<Examination> {
  const tables = queryTablesOf(policy.data);
  const scopes = scopesFor(policy);
  const ranks = { defaults: ownWorld(policy), scopes: scopes.map(({ name }) => name) };
  const layouts = scopes.map((scope) => layoutOf(scope, tables, actions));
  const alone = ANSWER_INVARIANTS.map((each) => [each, createTally(each, ranks)] as const);
  const paired = PAIR_INVARIANTS.map(
    ([each, pairs]) => [each, pairs, createTally(each, ranks)] as const,
  );
  let questions = 0;
  let done = 0;
  for (const world of worlds) {
    const engine = await policy.under(world);
    for (const layout of layouts) {
      const group = askAll(engine, world, layout);
      judgeAnswers(group, tables, alone);
      for (const each of paired) judgePairs(group, tables, each);
      questions += group.size;
      done += 1;
      progress(questions, done / (worlds.length * layouts.length));
      // Lets Ctrl-C and the policy's timers run.
      await yieldToEventLoop();
    }
  }
  const tallies = [...alone.map(([, tally]) => tally), ...paired.map(([, , tally]) => tally)];
  return { questions, findings: tallies.map((tally) => tally.finding()) };
}

function defaultsOf(switches: JsonObject): World {
  const entries = SWITCHES.map((name) => [name, switches[name] === true]);
  return Object.fromEntries(entries) as World; // one entry for each switch
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
