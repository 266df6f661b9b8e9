import { type Static, Type } from '@sinclair/typebox';
import { PolicyWish, Revision } from './policy-wish.js';

const Text = Type.String({ maxLength: 4096 });

/** Something that was tried with a bundle. */
const HistoryEntry = Type.Object({
  /** Absent when the bundle was refused before it had one. */
  revision: Type.Optional(Revision),
  at: Text,
  /** Where the bundle came from, without secrets. */
  source: Text,
  /** What made somebody try it. */
  trigger: Type.Union(
    (['start', 'poll', 'push', 'rollback', 'unpin'] as const).map((name) => Type.Literal(name)),
  ),
  outcome: Type.Union([Type.Literal('activated'), Type.Literal('refused')]),
  reason: Type.Optional(Text),
  failing_case: Type.Optional(Text),
  /** What is otherwise in it than in the one before; a line each. */
  changes: Type.Optional(Type.Array(Text, { maxItems: 200 })),
});
export type HistoryEntry = Static<typeof HistoryEntry>;
export type Trigger = HistoryEntry['trigger'];

/** What outlives a restart, besides the bundles themselves. */
export const KeptState = Type.Object({
  /** The revision that was rolled back to, and stays. */
  pinned: Type.Optional(Revision),
  /** The last one that was in service. */
  last_good: Type.Optional(Revision),
  /** What the replicas were told last, as far as this one knows. */
  wish: Type.Optional(PolicyWish),
  /** Newest first. */
  history: Type.Array(HistoryEntry, { maxItems: 1000 }),
});
export type KeptState = Static<typeof KeptState>;

export const NOTHING_KEPT: KeptState = { history: [] };

/** The state with one more entry, and no more than so many. */
export const withEntry = (state: KeptState, entry: HistoryEntry, most: number): KeptState => ({
  ...state,
  history: [entry, ...state.history].slice(0, most),
});

/** The state with this revision pinned, or none. */
export const withPin = (
  { pinned: _before, ...state }: KeptState,
  pinned: string | undefined,
): KeptState => ({
  ...(pinned !== undefined && { pinned }),
  ...state,
});

/** The revisions whose bundles are still of use. */
export const revisionsOf = ({ pinned, last_good: lastGood, history }: KeptState): Set<string> =>
  new Set(
    [
      pinned,
      lastGood,
      ...history.map(({ outcome, revision }) => (outcome === 'activated' ? revision : undefined)),
    ].filter((revision) => revision !== undefined),
  );

/** Since when a revision has been in service, when it was the last one that was; restarts do not count. */
export const sinceOf = (
  { last_good: lastGood, history }: KeptState,
  revision: string,
): Date | undefined => {
  const entry = history.find((each) => each.outcome === 'activated');
  return lastGood === revision && entry?.revision === revision ? new Date(entry.at) : undefined;
};
