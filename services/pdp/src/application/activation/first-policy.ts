import { type Logger } from '@tenure/process';
import { type DesiredRevision, isNewer } from '../../domain/desired-revision.js';
import { sinceOf, type StoredState, withEntry, withPin } from '../../domain/stored-state.js';
import { type PolicyParts, type PolicySource } from '../../ports/policy-source.js';
import { type PolicyStore } from '../../ports/policy-store.js';
import { type PolicyLoader } from './loader.js';
import { type Active, type Step, type Trouble, troubleOf } from './state.js';

export interface FirstPolicyOptions {
  readonly source: PolicySource;
  readonly loader: PolicyLoader;
  readonly store: PolicyStore;
  /** Milliseconds that one evaluation gets. */
  readonly deadlineMs: number;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
  /** The desired revision of all replicas, when it can be read at the start. */
  readonly desired?: DesiredRevision | undefined;
  /** The bundle of a revision from another replica; undefined when none has it. Never rejects. */
  readonly fromPeers?: (revision: string) => Promise<PolicyParts | undefined>;
}

/** A place that the first policy may come from, and its name in the history. */
type Origin =
  /** Desired: pinned by another replica while this one was not running. */
  | {
      readonly from: 'desired' | 'pinned' | 'last good';
      readonly revision: string;
      readonly source: string;
    }
  | { readonly from: 'source' };

/** The first policy of this process, prepared. */
export interface First extends Pick<Active, 'policy' | 'verified' | 'source'> {
  readonly from: Origin['from'];
  /** The failure of the source, when the last good policy is served instead. */
  readonly refused: Trouble | undefined;
  readonly fingerprint: string | undefined;
}

interface Start {
  readonly stored: StoredState;
  readonly desired: DesiredRevision | undefined;
  readonly keep: number;
  readonly now: Date;
}

/**
 * The origins of the first policy, in the order in which they are tried. A pinned policy has no substitute: the next one in
 * the history is the one that an operator rolled back from.
 */
export function originsOf(
  stored: StoredState,
  desired: DesiredRevision | undefined,
  isRemote: boolean,
): readonly Origin[] {
  const news = newsOf(stored, desired);
  const { pinned, last_good: lastGood } = stored;
  const followed: readonly Origin[] =
    isRemote && lastGood !== undefined
      ? [{ from: 'source' }, { from: 'last good', revision: lastGood, source: 'last good' }]
      : [{ from: 'source' }];
  const own: readonly Origin[] =
    pinned === undefined || news?.pinned === null
      ? followed
      : [{ from: 'pinned', revision: pinned, source: 'history' }];
  return typeof news?.pinned === 'string'
    ? [
        { from: 'desired', revision: news.pinned, source: `history, as requested at ${news.by}` },
        ...own,
      ]
    : own;
}

/** The first state. A restart with the policy of before adds nothing to the history. */
export function started(
  { policy, verified, source, from, refused, fingerprint }: First,
  { stored: before, desired, keep, now }: Start,
): Pick<Step, 'state' | 'effects'> {
  const { revision } = policy;
  const isOther = before.last_good !== revision;
  const entry = { at: now.toISOString(), source, trigger: 'start', revision } as const;
  const recorded = isOther
    ? withEntry({ ...before, last_good: revision }, { ...entry, outcome: 'activated' }, keep)
    : before;
  const news = newsOf(before, desired);
  const isApplied = news?.pinned === null || from === 'desired';
  const stored =
    news !== undefined && isApplied
      ? { ...withPin(recorded, news.pinned ?? undefined), desired: news }
      : recorded;
  const active = { policy, verified, source, since: sinceOf(before, revision) ?? now };
  return {
    state: {
      ...{ active, stored, fingerprint, refused },
      ...{ candidate: undefined, away: undefined, unmet: undefined },
    },
    effects: [
      { do: 'report active', active },
      ...(isOther ? [{ do: 'store bundle', revision, parts: verified.parts } as const] : []),
      ...(stored === before ? [] : [{ do: 'save', stored } as const]),
    ],
  };
}

/** The bundle of a revision: the one that is stored here, else the one that a peer has. */
export const bundleOf = async (
  { store, fromPeers }: Pick<FirstPolicyOptions, 'store' | 'fromPeers'>,
  revision: string,
): Promise<PolicyParts | undefined> => (await store.get(revision)) ?? (await fromPeers?.(revision));

/**
 * Prepares the policy of the first origin that has a usable one.
 * @throws PolicyRefused or PolicyFailure when there is none
 */
export async function firstPolicy(
  options: FirstPolicyOptions,
  stored: StoredState,
): Promise<First> {
  const { source, loader, deadlineMs, desired, logger } = options;
  const fingerprint = await source.fingerprint().catch(() => undefined);
  let failure: unknown;
  for (const origin of originsOf(stored, desired, source.isRemote)) {
    const { from } = origin;
    try {
      const verified = loader.verify(await fetchFrom(options, origin, failure));
      if (from === 'desired' && verified.revision !== origin.revision)
        throw new Error(`with the switches of this replica it is ${verified.revision}`);
      return {
        policy: await loader.prepare(verified, deadlineMs),
        verified,
        source: from === 'source' ? source.name : origin.source,
        refused: from === 'last good' ? troubleOf(failure) : undefined,
        ...{ from, fingerprint },
      };
    } catch (error) {
      failure = error;
      const text = 'what the other replicas rolled back to cannot be had';
      if (from === 'desired') logger.error({ err: error, pinned: origin.revision }, text);
    }
  }
  throw failure;
}

const newsOf = (
  stored: StoredState,
  desired: DesiredRevision | undefined,
): DesiredRevision | undefined =>
  desired !== undefined && isNewer(desired, stored.desired) ? desired : undefined;

/** @param failure of the source, when the last good policy is served instead */
async function fetchFrom(
  options: FirstPolicyOptions,
  origin: Origin,
  failure: unknown,
): Promise<PolicyParts> {
  const { source, store, logger } = options;
  if (origin.from === 'source') return source.read();
  const { from, revision } = origin;
  if (from === 'last good') {
    const good = await store.get(revision);
    if (good === undefined) throw failure;
    const { reason } = troubleOf(failure);
    logger.error({ err: failure, revision }, `serving the last good policy: ${reason}`);
    // Overlays belong to this machine, so its current ones are used.
    return { bundle: good.bundle, overlays: await source.readOverlays() };
  }
  const parts = await bundleOf(options, revision);
  if (from === 'desired') {
    if (parts === undefined) throw new Error('no replica has its bundle');
    return parts;
  }
  if (parts === undefined)
    throw new Error(`the bundle of the pinned revision ${revision} is missing`);
  const text = 'this policy is pinned by a rollback, until an operator reloads';
  logger.warn({ pinned: revision }, text);
  return parts;
}
