import {
  AccessDeniedError,
  type AppError,
  type Decision,
  type DecisionAnswer,
  type Question,
} from '@tenure/contracts';
import { callMs } from '@tenure/process';
import { type DecisionPoint } from '../../ports/decision-point.js';
import { type Tenancy } from '../../ports/tenancy-source.js';
import { type BodyMeaning, NO_MEANING } from '../../routes/bodies/body-kind.js';
import {
  type Access,
  type NamedResource,
  notFound,
  type Tenancies,
  tooLong,
  type Verdict,
} from './access.js';
import { retryOnce } from './retry-once.js';

/** The input of one question to the policy, with the tenancy that was loaded for it. */
interface PolicyInput {
  readonly action: string;
  readonly resource: NamedResource | null;
  readonly tenancy: Tenancy | undefined;
  readonly personal: Access['personal'];
  readonly meaning: BodyMeaning;
}

/**
 * Asks the policy about the resource and about its parent. A refusal for the parent takes precedence. Both questions are
 * always sent, so that a missing parent takes the same steps as an invisible one.
 * @param decisionDeadlineMs milliseconds for one decision
 */
export const createAsk =
  (
    decisions: DecisionPoint,
    decisionDeadlineMs: number,
  ): ((access: Access, tenancies: Tenancies) => Promise<Verdict>) =>
  async (access, tenancies) => {
    const { action, subject, resource, personal, within, meaning, context, deadline } = access;
    if (callMs(deadline, decisionDeadlineMs) === 0) throw tooLong();
    const decide = (input: PolicyInput, name: string): Promise<DecisionAnswer> =>
      retryOnce(deadline, decisionDeadlineMs, () =>
        decisions.decide(questionOf(input, subject), name, callMs(deadline, decisionDeadlineMs)),
      );
    const own: PolicyInput = { action, resource, tenancy: tenancies.own, personal, meaning };
    const name = context.request_id;
    if (within === null) return verdictOf(own, await decide(own, name), tenancies);
    const parent: PolicyInput = {
      ...within,
      tenancy: tenancies.parent,
      personal: null,
      meaning: NO_MEANING,
    };
    // At the same time, so that one request to the PDP carries both.
    const [ofParent, ofOwn] = await Promise.all([
      decide(parent, `${name}.within`),
      decide(own, name),
    ]);
    const verdict = verdictOf(parent, ofParent, tenancies);
    return verdict.outcome === 'deny' ? verdict : verdictOf(own, ofOwn, tenancies);
  };

function questionOf(input: PolicyInput, subject: Access['subject']): Question {
  const { action, tenancy, meaning } = input;
  return {
    action,
    subject,
    resource: {
      ...aboutOf(input),
      id: tenancy?.uuid ?? null,
      owner: tenancy?.owner ?? null,
      lessee: tenancy?.lessee ?? null,
      tenancy_revision: tenancy?.tenancy_revision ?? 0,
    },
    ...meaning,
    now: new Date().toISOString(),
  };
}

function verdictOf(input: PolicyInput, answer: DecisionAnswer, tenancies: Tenancies): Verdict {
  const { decision_id: decisionId, result: decision } = answer;
  const error = refusalOf(input, decision);
  return error === undefined
    ? { outcome: 'allow', decisionId, decision, tenancies }
    : { outcome: 'deny', decisionId, error };
}

/** Type of the resource, and its creator where the tenancy has one. */
function aboutOf({
  resource,
  tenancy,
  personal,
}: PolicyInput): Pick<Question['resource'], 'type' | 'creator'> {
  if (personal !== null) return personal;
  const type = resource?.type ?? 'none';
  return tenancy?.creator === undefined ? { type } : { type, creator: tenancy.creator };
}

/** The error of a denied question. A missing and an invisible resource get the same one. */
function refusalOf(
  { action, resource, tenancy }: PolicyInput,
  decision: Decision,
): AppError | undefined {
  if (resource?.mayBeMissing === false && (tenancy === undefined || !decision.visible))
    return notFound(resource);
  // Both are required: a contradictory answer is not an allow.
  if (decision.allow && decision.visible) return undefined;
  return new AccessDeniedError(decision.denied[0] ?? action);
}
