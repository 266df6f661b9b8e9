import { LRUCache } from 'lru-cache';
import { type DecisionPoint } from '../../ports/decision-point.js';
import { type Tenancy, type TenancySource } from '../../ports/tenancy-source.js';
import { type Access, type Verdict } from './access.js';
import { createAsk } from './ask.js';
import { createLoad, onlyLoaded, tenanciesOf } from './load-tenancies.js';

export interface Authorizer {
  /**
   * @param fresh true after a service reported a newer tenancy: the cache is bypassed
   * @throws UnavailableError when tenancy or policy do not answer in time
   */
  readonly authorize: (access: Access, fresh: boolean) => Promise<Verdict>;
}

export interface AuthorizerOptions {
  readonly tenancies: TenancySource;
  readonly decisions: DecisionPoint;
  readonly decisionDeadlineMs: number;
  /** Milliseconds for a look-up of tenancy; none starts when less time is left. */
  readonly tenancyDeadlineMs: number;
  /** Milliseconds; 0 disables the cache. */
  readonly tenancyTtlMs: number;
}

interface CachedDenial {
  readonly tenancy: Tenancy;
  readonly verdict: Verdict;
}

const MAX_CACHED = 10_000;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;

/** Loads tenancy and asks the policy once; twice when the policy denies on cached tenancy. */
export function createAuthorizer(options: AuthorizerOptions): Authorizer {
  const cache =
    options.tenancyTtlMs > 0
      ? new LRUCache<string, Tenancy>({ max: MAX_CACHED, ttl: options.tenancyTtlMs })
      : undefined;

  const load = createLoad(options.tenancies, options.tenancyDeadlineMs);
  const ask = createAsk(options.decisions, options.decisionDeadlineMs);

  const decideFresh = async (
    access: Access,
    key: string | undefined,
    denial?: CachedDenial,
  ): Promise<Verdict> => {
    const tenancies = await load(access);
    const loaded = tenancies.own ?? tenancies.parent;
    if (denial !== undefined && isSame(denial.tenancy, loaded)) return denial.verdict;
    const verdict = await ask(access, tenancies);
    if (key !== undefined && loaded !== undefined && verdict.outcome === 'allow')
      cache?.set(key, loaded);
    return verdict;
  };

  return {
    authorize: async (access, fresh) => {
      const key = cache === undefined ? undefined : cacheKey(access);
      const tenancy = key === undefined || fresh ? undefined : cache?.get(key);
      if (tenancy === undefined) return decideFresh(access, key);
      const verdict = await ask(access, tenanciesOf(access, tenancy));
      // Cached tenancy may only lead to an allow, which the executing service checks again.
      return verdict.outcome === 'allow' ? verdict : decideFresh(access, key, { tenancy, verdict });
    },
  };
}

const isSame = (a: Tenancy, b: Tenancy | undefined): boolean =>
  a.uuid === b?.uuid &&
  a.owner === b.owner &&
  a.lessee === b.lessee &&
  a.tenancy_revision === b.tenancy_revision &&
  a.node_uuid === b.node_uuid &&
  a.creator === b.creator;

/**
 * Cached tenancy is per caller, and only of resources that this caller was allowed to use. So a caller who may not see a
 * resource always takes the same steps as for a missing one. Only uuids are cached: a name may move to another node at any time.
 */
function cacheKey(access: Access): string | undefined {
  const { subject } = access;
  const loaded = onlyLoaded(access);
  // A caller who may create something on a node may be unable to see the node.
  return loaded === null || loaded.mayBeMissing || !UUID.test(loaded.ident)
    ? undefined
    : JSON.stringify([
        loaded.loads,
        loaded.ident,
        subject.user_id,
        subject.project_id,
        subject.system_scope,
        subject.domain_id,
        subject.roles,
      ]);
}
