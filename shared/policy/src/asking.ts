import { typesOf, type TypedTables } from './action-types.js';
import { PolicyFailure, PolicyRefused } from './failures.js';
import { isJsonObject, type JsonObject, memberOf } from './json-object.js';
import { isPolicyAnswer, type PolicyAnswer } from './policy-answer.js';
import { type SwitchValues, tablesOf } from './policy-data.js';

/** Evaluates questions. The answers are those of the policy, unchecked. */
export interface Evaluator {
  /** @throws PolicyFailure when the policy cannot be evaluated */
  readonly evaluate: (entrypoint: 'decision', input: unknown) => unknown;
}

/** A policy that can be evaluated with any values of its switches. */
export interface AskablePolicy {
  /** The data with overlays. */
  readonly data: JsonObject;
  /** @throws PolicyRefused for a switch that the policy does not have */
  readonly under: (switches: SwitchValues) => Promise<Evaluator>;
}

/** The time in questions that no caller asks, the same in every run. */
export const QUESTION_TIME = '2026-11-21T06:00:00Z';

/** The tables that say what actions are about. */
export function typedTablesOf({ data }: Pick<AskablePolicy, 'data'>): TypedTables {
  const resources = memberOf(memberOf(data, 'tenure'), 'resources');
  return { actions: tablesOf(data).actions, resources: isJsonObject(resources) ? resources : {} };
}

/** @throws PolicyRefused for an action that the policy does not have */
export function typeFor(policy: Pick<AskablePolicy, 'data'>, action: string): string {
  const tables = typedTablesOf(policy);
  if (!Object.hasOwn(tables.actions, action))
    throw new PolicyRefused(`the policy has no action ${action}`);
  return typesOf(action, tables)[0];
}

/** A question in the form that the decision point expects. */
export const questionAbout = (
  action: string,
  subject: JsonObject | null,
  resource: JsonObject,
): JsonObject => ({
  action,
  subject,
  resource: { owner: null, lessee: null, tenancy_revision: 1, ...resource },
  now: QUESTION_TIME,
});

/** Asks a policy for decisions. @throws PolicyFailure when it cannot be evaluated, or its answer is not a decision */
export const askerFor =
  (engine: Evaluator): ((question: JsonObject) => PolicyAnswer) =>
  (question) => {
    const answer = engine.evaluate('decision', question);
    if (!isPolicyAnswer(answer))
      throw new PolicyFailure(`the policy's answer is not a decision: ${JSON.stringify(question)}`);
    return answer;
  };
