import { type PolicyTables } from '@tenure/policy';
import { type Logger } from '@tenure/process';
import { replacementsOf } from '../domain/replaced-rules.js';
import { type PdpMetrics } from './metrics.js';

/** One use of old rules: the action, the deprecated grants that it was allowed by, and the decision. */
export interface DeprecatedUse {
  readonly action: string;
  readonly grants: readonly string[];
  readonly decisionId: string;
}

export interface DeprecationNotices {
  /** @param actions the table of the policy that answered */
  readonly used: (use: DeprecatedUse, actions: PolicyTables['actions']) => void;
}

export interface DeprecationNoticesOptions {
  readonly logger: Pick<Logger, 'warn'>;
  readonly metrics: Pick<PdpMetrics, 'deprecatedRuleUsed'>;
  /** Milliseconds, from any start. */
  readonly now: () => number;
}

const QUIET_MS = 60_000;

interface Told {
  readonly at: number;
  /** Uses since then that were not told. */
  untold: number;
}

/**
 * Warns of every rule of old that somebody still needs: at most one line a minute for an action and grant, which says how
 * many uses there were since the last one. Each use is counted in a metric.
 */
export function createDeprecationNotices({
  logger,
  metrics,
  now,
}: DeprecationNoticesOptions): DeprecationNotices {
  const told = new Map<string, Told>();

  /** Uses to tell of now, this one included, or undefined while it is quiet time. */
  const usesToTell = (key: string): number | undefined => {
    const before = told.get(key);
    if (before !== undefined && now() - before.at < QUIET_MS) {
      before.untold += 1;
      return undefined;
    }
    told.set(key, { at: now(), untold: 0 });
    return (before?.untold ?? 0) + 1;
  };

  return {
    used: ({ action, grants, decisionId }, actions) => {
      for (const grant of grants) {
        const replacedBy = replacementsOf(actions, action, grant);
        // Only what the table has: neither the map nor the metric grows with what askers invent.
        if (replacedBy === undefined) continue;
        metrics.deprecatedRuleUsed(action, grant);
        const uses = usesToTell(`${action} ${grant}`);
        if (uses === undefined) continue;
        logger.warn(
          {
            action,
            deprecated: [grant],
            replaced_by: replacedBy,
            uses,
            decision_id: decisionId,
          },
          'deprecated rule used',
        );
      }
    },
  };
}
