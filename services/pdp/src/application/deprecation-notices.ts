import { type PolicyTables } from '@tenure/policy';
import { type Logger } from '@tenure/process';
import { replacementsOf } from '../domain/replaced-rules.js';
import { type PdpMetrics } from './metrics.js';

/** One use of deprecated rules: the action, the deprecated grants that it was allowed by, and the decision. */
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

interface Notice {
  readonly at: number;
  /** Uses since then that were not logged. */
  unreported: number;
}

/**
 * Warns of every deprecated rule that is still used: at most one line a minute for an action and grant, with the number of
 * uses since the last line. Each use is counted in a metric.
 */
export function createDeprecationNotices({
  logger,
  metrics,
  now,
}: DeprecationNoticesOptions): DeprecationNotices {
  const notices = new Map<string, Notice>();

  /** Number of uses to log now, this one included; undefined in the quiet time after a line. */
  const usesToReport = (key: string): number | undefined => {
    const before = notices.get(key);
    if (before !== undefined && now() - before.at < QUIET_MS) {
      before.unreported += 1;
      return undefined;
    }
    notices.set(key, { at: now(), unreported: 0 });
    return (before?.unreported ?? 0) + 1;
  };

  return {
    used: ({ action, grants, decisionId }, actions) => {
      for (const grant of grants) {
        const replacedBy = replacementsOf(actions, action, grant);
        // Only grants of the table, so that clients cannot make the map or the metric grow.
        if (replacedBy === undefined) continue;
        metrics.deprecatedRuleUsed(action, grant);
        const uses = usesToReport(`${action} ${grant}`);
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
