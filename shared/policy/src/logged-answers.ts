import { isJsonObject, type JsonObject, memberOf } from './json-object.js';

/** One question of a record, and what was answered: a record of a batch holds several. */
export interface LoggedAnswer {
  readonly action: string;
  /** The question in the form of a single one. */
  readonly question: JsonObject;
  readonly allow: boolean;
  readonly grants: readonly string[];
  readonly reason: string;
  /** Undefined when the policy failed: that is a denial. */
  readonly result: JsonObject | undefined;
}

/** The questions of a record with their answers. */
export function answersOf(record: JsonObject): readonly LoggedAnswer[] {
  const input = memberOf(record, 'input');
  const result = memberOf(record, 'result');
  const actions = memberOf(input, 'actions');
  if (Array.isArray(actions))
    return textsOf(actions).map((action) => answerOf(input, action, memberOf(result, action)));
  return [answerOf(input, textOf(memberOf(input, 'action')), result)];
}

/** The digest of the policy that made a decision. */
export function revisionIn(record: JsonObject): string | undefined {
  const revision = memberOf(memberOf(memberOf(record, 'bundles'), 'tenure'), 'revision');
  return typeof revision === 'string' ? revision : undefined;
}

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

const answerOf = (input: unknown, action: string, result: unknown): LoggedAnswer => ({
  action,
  question: questionOf(input, action),
  allow: memberOf(result, 'allow') === true,
  grants: textsOf(memberOf(result, 'grants')),
  reason: isJsonObject(result) ? textOf(result['reason']) : 'error',
  result: isJsonObject(result) ? result : undefined,
});

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const questionOf = (input: unknown, action: string): JsonObject => ({
  ...Object.fromEntries(
    Object.entries(isJsonObject(input) ? input : {}).filter(([name]) => name !== 'actions'),
  ),
  action,
});
