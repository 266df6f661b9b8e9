import {
  AccessDeniedError,
  type AppError,
  type Decision,
  type DecisionAnswer,
  NotFoundError,
  type Question,
  type Subject,
  UnavailableError,
} from '@tenure/contracts';
import { LRUCache } from 'lru-cache';
import { type BodyMeaning } from '../routes/body-kinds.js';
import { type Deadline } from './deadline.js';
import { type DecisionPoint } from './decision-point.js';
import { type Behalf, type Tenancy, type TenancySource } from './tenancy-source.js';

/** A resource as the client named it. `known` is false when the ident cannot name anything in this API version. */
export interface NamedResource {
  readonly type: 'node' | 'allocation';
  /** As sent, for the error text. */
  readonly sent: string;
  readonly ident: string;
  readonly known: boolean;
}

/** One question on behalf of one caller. */
export interface Access {
  readonly action: string;
  readonly subject: Subject;
  readonly resource: NamedResource | null;
  readonly meaning: BodyMeaning;
  readonly behalf: Behalf;
  readonly deadline: Deadline;
}

/** Allowed, and what the executing service must be told; or refused, and how to say it. */
export type Verdict =
  | {
      readonly outcome: 'allow';
      readonly decisionId: string;
      readonly decision: Decision;
      readonly tenancy: Tenancy | null;
    }
  | { readonly outcome: 'deny'; readonly decisionId: string; readonly error: AppError };

export interface Authorizer {
  /**
   * @param fresh true after a service said that its tenancy is another one: no cache is looked at
   * @throws UnavailableError when tenancy or policy cannot be had in time
   */
  readonly authorize: (access: Access, fresh: boolean) => Promise<Verdict>;
}

export interface AuthorizerOptions {
  readonly tenancies: TenancySource;
  readonly decisions: DecisionPoint;
  readonly decisionDeadlineMs: number;
  /** Milliseconds that a look-up of tenancy may take; none is begun when less is left. */
  readonly tenancyDeadlineMs: number;
  /** Milliseconds; 0 turns the cache off. */
  readonly tenancyTtlMs: number;
}

const MAX_CACHED = 10_000;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;
const tooLong = (): UnavailableError => new UnavailableError('The request took too long.');
const KIND = { node: 'Node', allocation: 'Allocation' } as const;

const questionOf = (
  { action, subject, resource, meaning }: Access,
  tenancy: Tenancy | undefined,
): Question => ({
  action,
  subject,
  resource: {
    type: resource?.type ?? 'none',
    owner: tenancy?.owner ?? null,
    lessee: tenancy?.lessee ?? null,
    tenancy_revision: tenancy?.tenancy_revision ?? 0,
  },
  ...meaning,
  now: new Date().toISOString(),
});

const isSame = (a: Tenancy, b: Tenancy | undefined): boolean =>
  a.uuid === b?.uuid &&
  a.owner === b.owner &&
  a.lessee === b.lessee &&
  a.tenancy_revision === b.tenancy_revision;

/** What is said of a resource that is missing, gone or invisible: nobody can tell which. */
export const notFound = ({ type, sent }: NamedResource): NotFoundError =>
  NotFoundError.of(KIND[type], sent);

/** Missing, invisible, or neither: the same sentence for the first two. */
const verdictOf = (
  { action, resource }: Access,
  tenancy: Tenancy | undefined,
  answer: DecisionAnswer,
): Verdict => {
  const { decision_id: decisionId, result: decision } = answer;
  if (resource !== null && (tenancy === undefined || !decision.visible))
    return { outcome: 'deny', decisionId, error: notFound(resource) };
  // Both: an answer that contradicts itself is not an allow.
  if (decision.allow && decision.visible)
    return { outcome: 'allow', decisionId, decision, tenancy: tenancy ?? null };
  return {
    outcome: 'deny',
    decisionId,
    error: new AccessDeniedError(decision.denied[0] ?? action),
  };
};

/**
 * Cached tenancy is per caller, and only of what that caller was allowed: whoever may not see a resource always
 * takes the same steps as for a missing one. Only uuids are cached: a name may be given to another node at any time.
 */
const cacheKey = ({ subject, resource }: Access): string | undefined =>
  resource === null || !UUID.test(resource.ident)
    ? undefined
    : JSON.stringify([
        resource.type,
        resource.ident,
        subject.user_id,
        subject.project_id,
        subject.system_scope,
        subject.domain_id,
        subject.roles,
      ]);

/** Loads tenancy and asks the policy once, or again when what it was asked about was only remembered. */
export const createAuthorizer = (options: AuthorizerOptions): Authorizer => {
  const cache =
    options.tenancyTtlMs > 0
      ? new LRUCache<string, Tenancy>({ max: MAX_CACHED, ttl: options.tenancyTtlMs })
      : undefined;

  const load = async ({ resource, behalf, deadline }: Access): Promise<Tenancy | undefined> => {
    if (resource?.known !== true) return undefined;
    const { tenancyDeadlineMs } = options;
    if (deadline.within(tenancyDeadlineMs) < tenancyDeadlineMs) throw tooLong();
    return options.tenancies.load(resource.type, resource.ident, behalf);
  };

  const ask = async (access: Access, tenancy: Tenancy | undefined): Promise<Verdict> => {
    const deadlineMs = access.deadline.within(options.decisionDeadlineMs);
    if (deadlineMs === 0) throw tooLong();
    const answer = await options.decisions.decide(
      questionOf(access, tenancy),
      access.behalf.request_id,
      deadlineMs,
    );
    return verdictOf(access, tenancy, answer);
  };

  const decideFresh = async (
    access: Access,
    key: string | undefined,
    refused?: Remembered,
  ): Promise<Verdict> => {
    const tenancy = await load(access);
    if (refused !== undefined && isSame(refused.tenancy, tenancy)) return refused.verdict;
    const verdict = await ask(access, tenancy);
    if (key !== undefined && tenancy !== undefined && verdict.outcome === 'allow')
      cache?.set(key, tenancy);
    return verdict;
  };

  return {
    authorize: async (access, fresh) => {
      const key = cache === undefined ? undefined : cacheKey(access);
      const tenancy = key === undefined || fresh ? undefined : cache?.get(key);
      if (tenancy === undefined) return decideFresh(access, key);
      const verdict = await ask(access, tenancy);
      // What is remembered may only lead to an allow, which the executing service checks again.
      return verdict.outcome === 'allow' ? verdict : decideFresh(access, key, { tenancy, verdict });
    },
  };
};

interface Remembered {
  readonly tenancy: Tenancy;
  readonly verdict: Verdict;
}
