import { type Static, Type } from '@sinclair/typebox';
import { isJsonObject } from '@tenure/policy';
import { DesiredRevision, Revision } from './desired-revision.js';

const Text = Type.String({ maxLength: 4096 });

/** One attempt to activate a policy. */
const HistoryEntry = Type.Object({
  /** Absent when the bundle was refused before it had one. */
  revision: Type.Optional(Revision),
  at: Text,
  /** Where the bundle came from, without secrets. */
  source: Text,
  /** The cause of the attempt. */
  trigger: Type.Union(
    (['start', 'poll', 'push', 'rollback', 'unpin'] as const).map((name) => Type.Literal(name)),
  ),
  outcome: Type.Union([Type.Literal('activated'), Type.Literal('refused')]),
  reason: Type.Optional(Text),
  failing_case: Type.Optional(Text),
  /** Differences from the policy before it; a line each. */
  changes: Type.Optional(Type.Array(Text, { maxItems: 200 })),
});
export type HistoryEntry = Static<typeof HistoryEntry>;
export type Trigger = HistoryEntry['trigger'];

/** The part of the state that survives a restart. The bundles themselves are stored beside it. */
export const StoredState = Type.Object({
  /** The revision that stays active until an operator reloads. */
  pinned: Type.Optional(Revision),
  /** The revision that was active last. */
  last_good: Type.Optional(Revision),
  /** The newest desired revision of all replicas that this replica has seen. */
  desired: Type.Optional(DesiredRevision),
  /** Newest first. */
  history: Type.Array(HistoryEntry, { maxItems: 1000 }),
});
export type StoredState = Static<typeof StoredState>;

export const EMPTY_STATE: StoredState = { history: [] };

/** Brings the state of an earlier version, which named the desired revision `wish`, to the current form. */
export function migrated(state: unknown): unknown {
  if (!isJsonObject(state) || !Object.hasOwn(state, 'wish')) return state;
  const { wish: desired, ...rest } = state;
  return { ...rest, desired };
}

/** Adds an entry to the history, and drops the oldest above the limit. */
export const withEntry = (state: StoredState, entry: HistoryEntry, limit: number): StoredState => ({
  ...state,
  history: [entry, ...state.history].slice(0, limit),
});

/** @returns the state itself when nothing changes */
export const withPin = (state: StoredState, pin: string | undefined): StoredState =>
  state.pinned === pin
    ? state
    : { ...(pin !== undefined && { pinned: pin }), ...withoutPin(state) };

/** The revisions whose bundles may be needed again. */
export const revisionsOf = ({ pinned, last_good: lastGood, history }: StoredState): Set<string> =>
  new Set(
    [
      pinned,
      lastGood,
      ...history.map(({ outcome, revision }) => (outcome === 'activated' ? revision : undefined)),
    ].filter((revision) => revision !== undefined),
  );

/** The time when the revision that was active last was activated; restarts do not count. */
export function sinceOf(
  { last_good: lastGood, history }: StoredState,
  revision: string,
): Date | undefined {
  const entry = history.find((each) => each.outcome === 'activated');
  return lastGood === revision && entry?.revision === revision ? new Date(entry.at) : undefined;
}

const withoutPin = ({ pinned: _pinned, ...state }: StoredState): StoredState => state;
