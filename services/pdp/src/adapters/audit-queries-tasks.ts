import { findDecision, type LoggedDecision, newestDecisions } from '@tenure/decision-log';
import {
  answersOf,
  type AskablePolicy,
  askerFor,
  cellQuestion,
  grantPlaces,
  isJsonObject,
  type JsonObject,
  type Matrix,
  matchesFilter,
  matrixOf,
  mayMatch,
  missesOf,
  personaCalled,
  policyDataOf,
  type PolicyMaterial,
  revisionIn,
  rowPlace,
  type RulePlace,
  subjectTowards,
  type SwitchValues,
  typedTablesOf,
  whyOf,
  withSwitches,
} from '@tenure/policy';
import { compileWasmPolicy } from '@tenure/policy/runtime';
import {
  type Attempt,
  type DecisionSearch,
  type ExplainedDecision,
  type FoundDecisions,
  type TriedQuestion,
} from '../ports/audit-queries.js';

/** The policy for audit queries: that in service, on an engine of its own. */
export interface AuditPolicy {
  readonly material: PolicyMaterial;
  readonly switches: SwitchValues;
  readonly revision: string;
  readonly maximumPages: number;
}

/** Number of nearest misses whose rules are listed. */
const LISTED_MISSES = 3;

class TimeIsUp extends Error {}

const subjectOf = ({ subject }: JsonObject): JsonObject | null =>
  isJsonObject(subject) ? subject : null;
const resourceOf = ({ resource }: JsonObject): JsonObject =>
  isJsonObject(resource) ? resource : {};

const matrixOfPolicy = async (policy: AuditPolicy): Promise<Matrix> =>
  matrixOf(await openPolicy(policy), {});

/** The tasks of a thread, by name. */
export const TASKS = {
  search: searchLog,
  find: findDecision,
  explain: explainRecord,
  matrix: matrixOfPolicy,
  attempt: attemptAction,
} as const;
export type Tasks = typeof TASKS;

/** The newest matching records that are found within the time limit. */
export async function searchLog(
  dir: string,
  search: DecisionSearch,
  milliseconds: number,
): Promise<FoundDecisions> {
  const { since, limit, skip, until, ...filter } = search;
  const deadline = performance.now() + milliseconds;
  const isLikely = mayMatch(filter);
  const wanted = limit + skip + 1;
  const decisions: LoggedDecision[] = [];
  const reading = newestDecisions(dir, {
    atMost: wanted,
    mayMatch: (line) => {
      if (performance.now() > deadline) throw new TimeIsUp();
      return isLikely(line);
    },
    isWanted: (decision) =>
      matchesFilter(decision, { ...filter, ...(until !== undefined && { until }) }),
    ...(since !== undefined && { since }),
  });
  let isComplete = true;
  try {
    for await (const decision of reading) {
      decisions.push(decision);
      if (decisions.length >= wanted) break;
    }
  } catch (error) {
    if (!(error instanceof TimeIsUp)) throw error;
    isComplete = false;
  }
  const page = decisions.slice(skip, skip + limit);
  return { decisions: page, hasMore: decisions.length > skip + limit, isComplete };
}

async function openPolicy(policy: AuditPolicy): Promise<AskablePolicy> {
  const { material, switches, maximumPages } = policy;
  const data = policyDataOf(material, switches);
  const make = await compileWasmPolicy(material.wasm, { maximumPages });
  return { data, under: (others) => make(withSwitches(data, others)) };
}

async function explainRecord(
  policy: AuditPolicy,
  { record }: LoggedDecision,
): Promise<ExplainedDecision> {
  const opened = await openPolicy(policy);
  const ask = askerFor(await opened.under({}));
  const whys = answersOf(record).map((answer) => {
    const why = whyOf(answer, { ask, data: opened.data });
    const near = why.nearest_misses.slice(0, LISTED_MISSES).map(({ grant }) => grant);
    const grants = why.allow ? why.grants : near;
    return { ...why, places: placesOf([why.action], grants, opened.data, policy.material) };
  });
  return { whys, isSamePolicy: revisionIn(record) === policy.revision };
}

/** @throws Error for an unknown persona */
async function attemptAction(
  policy: AuditPolicy,
  { persona: code, action, resource }: Attempt,
): Promise<TriedQuestion> {
  const opened = await openPolicy(policy);
  const persona = personaCalled(code);
  const plain = cellQuestion(persona, action, typedTablesOf(opened));
  const question =
    resource === undefined
      ? plain
      : {
          ...plain,
          subject: subjectTowards({ persona, subject: subjectOf(plain) }, { ...resource }),
          resource: { ...resourceOf(plain), ...resource },
        };
  const answer = askerFor(await opened.under(persona.switches))(question);
  const misses = await missesOf(opened, persona.switches, question, answer);
  const actions = [...new Set([action, ...answer.denied])];
  const near = misses.slice(0, LISTED_MISSES).map(({ grant }) => grant);
  const grants = answer.allow ? answer.grants : near;
  return {
    question,
    answer,
    misses,
    places: placesOf(actions, grants, opened.data, policy.material),
  };
}

function placesOf(
  actions: readonly string[],
  grants: readonly string[],
  data: JsonObject,
  material: PolicyMaterial,
): readonly RulePlace[] {
  const all = [
    ...actions.map((action) => rowPlace(action, data, material)),
    ...grants.flatMap((grant) => grantPlaces(grant, material)),
  ].filter((place) => place !== undefined);
  return [...new Map(all.map((place) => [`${place.file}\n${place.text}`, place])).values()];
}
