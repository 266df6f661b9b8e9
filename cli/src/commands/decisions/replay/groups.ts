import { type Difference } from './replay.js';

/** Equal differences of one kind. */
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

/** Groups differences as they arrive, with memory that is independent of their number. */
export interface Groups {
  readonly add: (difference: Difference) => void;
  /** The groups of a kind, the largest first. */
  readonly of: (kind: Difference['kind']) => readonly Group[];
}

/** Creates the groups. */
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
