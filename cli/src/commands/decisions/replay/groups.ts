import { type Difference } from './replay.js';

/** Differences of one kind that are alike. */
export interface Group {
  readonly tenant: string;
  readonly persona: string;
  readonly action: string;
  readonly grant: string;
  readonly count: number;
  /** Some of them, by decision id. */
  readonly decisions: readonly string[];
}

const EXAMPLES = 10;

/** Differences as they come; what is kept does not grow with their number. */
export interface Groups {
  readonly add: (difference: Difference) => void;
  /** The groups of a kind, the largest first. */
  readonly of: (kind: Difference['kind']) => readonly Group[];
}

/** Begins to gather differences. */
export function createGroups(): Groups {
  const groups = new Map<string, Group>();
  return {
    add: ({ kind, tenant, persona, action, grant, decisionId }) => {
      const key = JSON.stringify([kind, tenant, persona, action, grant]);
      const existing = groups.get(key) ?? {
        tenant,
        persona,
        action,
        grant,
        count: 0,
        decisions: [],
      };
      const { count, decisions } = existing;
      groups.set(key, {
        ...existing,
        count: count + 1,
        decisions: count < EXAMPLES ? [...decisions, decisionId] : decisions,
      });
    },
    of: (kind) =>
      [...groups]
        .filter(([key]) => key.startsWith(`["${kind}"`))
        .map(([, group]) => group)
        .sort((a, b) => b.count - a.count || a.action.localeCompare(b.action)),
  };
}
