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
import { onceMore } from './once-more.js';

/** One of the questions of an access, with what was loaded for it. */
interface Asked {
  readonly action: string;
  readonly resource: NamedResource | null;
  readonly tenancy: Tenancy | undefined;
  readonly personal: Access['personal'];
  readonly meaning: BodyMeaning;
}

/**
 * Asks the policy what an access asks: its own question and the one about the parent, whose refusal goes first.
 * Both are always asked, so that a parent that is missing takes the steps of one that is not visible.
 * @param decisionDeadlineMs milliseconds that the policy may take
 */
export const createAsk =
  (
    decisions: DecisionPoint,
    decisionDeadlineMs: number,
  ): ((access: Access, tenancies: Tenancies) => Promise<Verdict>) =>
  async (access, tenancies) => {
    const { action, subject, resource, personal, within, meaning, context, deadline } = access;
    if (callMs(deadline, decisionDeadlineMs) === 0) throw tooLong();
    const decide = (asked: Asked, name: string): Promise<DecisionAnswer> =>
      onceMore(deadline, decisionDeadlineMs, () =>
        decisions.decide(questionOf(asked, subject), name, callMs(deadline, decisionDeadlineMs)),
      );
    const own: Asked = { action, resource, tenancy: tenancies.own, personal, meaning };
    const name = context.request_id;
    if (within === null) return verdictOf(own, await decide(own, name), tenancies);
    const parent: Asked = {
      ...within,
      tenancy: tenancies.parent,
      personal: null,
      meaning: NO_MEANING,
    };
    // At the same time, so that both travel in one request to the PDP.
    const [ofParent, ofOwn] = await Promise.all([
      decide(parent, `${name}.within`),
      decide(own, name),
    ]);
    const verdict = verdictOf(parent, ofParent, tenancies);
    return verdict.outcome === 'deny' ? verdict : verdictOf(own, ofOwn, tenancies);
  };

function questionOf(asked: Asked, subject: Access['subject']): Question {
  const { action, tenancy, meaning } = asked;
  return {
    action,
    subject,
    resource: {
      ...aboutOf(asked),
      id: tenancy?.uuid ?? null,
      owner: tenancy?.owner ?? null,
      lessee: tenancy?.lessee ?? null,
      tenancy_revision: tenancy?.tenancy_revision ?? 0,
    },
    ...meaning,
    now: new Date().toISOString(),
  };
}

function verdictOf(asked: Asked, answer: DecisionAnswer, tenancies: Tenancies): Verdict {
  const { decision_id: decisionId, result: decision } = answer;
  const error = refusalOf(asked, decision);
  return error === undefined
    ? { outcome: 'allow', decisionId, decision, tenancies }
    : { outcome: 'deny', decisionId, error };
}

/** What the question is about; who made it is left out where that makes no difference. */
function aboutOf({
  resource,
  tenancy,
  personal,
}: Asked): Pick<Question['resource'], 'type' | 'creator'> {
  if (personal !== null) return personal;
  const type = resource?.type ?? 'none';
  return tenancy?.creator === undefined ? { type } : { type, creator: tenancy.creator };
}

/** Missing, invisible, or neither: the same sentence for the first two. */
function refusalOf({ action, resource, tenancy }: Asked, decision: Decision): AppError | undefined {
  if (resource?.mayBeMissing === false && (tenancy === undefined || !decision.visible))
    return notFound(resource);
  // Both: an answer that contradicts itself is not an allow.
  if (decision.allow && decision.visible) return undefined;
  return new AccessDeniedError(decision.denied[0] ?? action);
}
