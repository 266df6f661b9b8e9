import { type Answered } from './query.js';
import { RELATIONS } from './targets.js';
import { changedIn, ROLE_SETS, type SwitchSetting } from './vocabulary.js';

/** A violation of a rule: the answer, the one it was compared with, and why. */
export interface Violation {
  readonly first: Answered;
  /** The answer that `first` does not agree with, for rules about two. */
  readonly second: Answered | undefined;
  readonly because: string;
  /** Rank for comparison: the smaller, the simpler the question. */
  readonly size: readonly number[];
}

/** The findings of one invariant. */
export interface Finding {
  readonly name: string;
  readonly sentence: string;
  /** Number of answers, or pairs of them, that it examined. */
  readonly looked: number;
  readonly broken: number;
  /** Actions that break it, sorted. */
  readonly actions: readonly string[];
  readonly smallest: Violation | undefined;
}

/** Counts the answers that one invariant examines, and keeps the smallest violation. */
export interface Tally {
  readonly look: () => void;
  readonly violated: (violation: Omit<Violation, 'size'>) => void;
  readonly finding: () => Finding;
}

/** The order that a violation's size is computed from. */
export interface Ranks {
  readonly defaults: SwitchSetting;
  /** Names of the scopes, the simplest first. */
  readonly scopes: readonly string[];
}

export function createTally(
  { name, sentence }: { readonly name: string; readonly sentence: string },
  ranks: Ranks,
): Tally {
  const actions = new Set<string>();
  let looked = 0;
  let broken = 0;
  let smallest: Violation | undefined;
  return {
    look: () => {
      looked += 1;
    },
    violated: (violation) => {
      broken += 1;
      actions.add(violation.first.query.action);
      const size = [
        ...sizeOf(violation.first, ranks),
        ...(violation.second === undefined ? [] : sizeOf(violation.second, ranks)),
      ];
      if (smallest === undefined || isSmaller(size, smallest.size))
        smallest = { ...violation, size };
    },
    finding: () => ({
      name,
      sentence,
      looked,
      broken,
      actions: [...actions].sort(),
      smallest,
    }),
  };
}

/** Merges the findings of one invariant in two parts of the work. */
export const mergedFinding = (one: Finding, other: Finding): Finding => ({
  name: one.name,
  sentence: one.sentence,
  looked: one.looked + other.looked,
  broken: one.broken + other.broken,
  actions: [...new Set([...one.actions, ...other.actions])].sort(),
  smallest: smallerOf(one.smallest, other.smallest),
});

// Most significant first: few roles, default switches, a simple relation, no field.
const sizeOf = ({ query }: Answered, { defaults, scopes }: Ranks): number[] => [
  query.roles.length,
  changedIn(query.setting, defaults).length,
  query.target.relation === 'none' ? 0 : RELATIONS.indexOf(query.target.relation),
  query.field === undefined ? 0 : 1,
  scopes.indexOf(query.scope.name),
  ROLE_SETS.indexOf(query.roles),
];

function isSmaller(size: readonly number[], than: readonly number[]): boolean {
  const at = size.findIndex((part, index) => part !== than[index]);
  return at !== -1 && (size[at] ?? 0) < (than[at] ?? 0);
}

function smallerOf(
  one: Violation | undefined,
  other: Violation | undefined,
): Violation | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return isSmaller(other.size, one.size) ? other : one;
}
