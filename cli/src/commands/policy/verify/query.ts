import { type JsonObject, type PolicyAnswer, QUESTION_TIME } from '@tenure/policy';
import { type FieldProbe } from './probes.js';
import { resourceOf, type Target } from './targets.js';
import { type Scope, type SwitchSetting } from './vocabulary.js';

/** The caller: a token. */
export interface Caller {
  readonly scope: Scope;
  readonly roles: readonly string[];
}

/** One question, in the terms of the checks. */
export interface Query extends Caller {
  readonly setting: SwitchSetting;
  readonly target: Target;
  readonly action: string;
  readonly field: FieldProbe | undefined;
}

/** A question and the answer of the policy. */
export interface Answered {
  readonly query: Query;
  readonly answer: PolicyAnswer;
}

/** The question of a caller about a resource without its action or actions, in the form of the decision point. */
export const questionBy = (
  { scope, roles }: Caller,
  resource: JsonObject,
  field: FieldProbe | undefined,
): JsonObject => ({
  subject: {
    user_id: 'user',
    project_id: null,
    system_scope: null,
    domain_id: null,
    ...scope.claims,
    roles,
  },
  resource,
  ...fieldPart(field),
  now: QUESTION_TIME,
});

/** The question without its action or actions. */
export const questionPart = (
  caller: Caller,
  target: Target,
  field: FieldProbe | undefined,
): JsonObject => questionBy(caller, resourceOf(target, caller.scope), field);

/** The whole question, in the form of the decision point. */
export const questionOf = (query: Query): JsonObject => ({
  action: query.action,
  ...questionPart(query, query.target, query.field),
});

function fieldPart(field: FieldProbe | undefined): JsonObject {
  if (field === undefined) return {};
  const fields = [`/${field.name}`];
  return field.value === undefined
    ? { fields }
    : { fields, requested: { [field.name]: field.value } };
}
