import { type KeptState, sinceOf, withPin } from '../domain/policy-history.js';
import { isNewer, type PolicyWish } from '../domain/policy-wish.js';
import { type PolicyParts } from '../ports/policy-source.js';
import { type KeeperOptions } from './keeper-options.js';
import { type Trouble, troubleOf } from './outcome.js';
import { type Serving } from './serving.js';

/** What a start begins with. */
interface FirstPolicy {
  readonly serving: Serving;
  readonly trouble: Trouble | undefined;
  /** What the others were told, when it is done by this. */
  readonly obeyed?: PolicyWish;
}

type Serve = (parts: PolicyParts, from: string) => Promise<Serving>;

/** What the others pinned since this one ended; undefined when it cannot be taken into service, which is tried again later. */
const pinnedElsewhere = async (
  { store, elsewhere, logger }: KeeperOptions,
  { pinned, by }: PolicyWish,
  serve: Serve,
): Promise<Serving | undefined> => {
  if (pinned === null) return undefined;
  try {
    const parts = (await store.get(pinned)) ?? (await elsewhere?.(pinned));
    if (parts === undefined) throw new Error('no replica has its bundle');
    const serving = await serve(parts, `history, as ${by} was told`);
    const { revision } = serving.policy;
    if (revision !== pinned) throw new Error(`with the switches of this replica it is ${revision}`);
    return serving;
  } catch (error) {
    logger.error({ err: error, pinned }, 'what the other replicas rolled back to cannot be had');
    return undefined;
  }
};

/** What was pinned here before; else what the source has; else, when that is away, the last one that was in service. */
const ownPolicy = async (
  { source, store, elsewhere, logger }: KeeperOptions,
  { pinned, last_good: lastGood }: KeptState,
  serve: Serve,
): Promise<FirstPolicy> => {
  if (pinned !== undefined) {
    const parts = (await store.get(pinned)) ?? (await elsewhere?.(pinned));
    if (parts === undefined)
      throw new Error(`${pinned} was rolled back to, and its bundle is not there any more`);
    logger.warn({ pinned }, 'this policy was rolled back to, and stays until somebody reloads');
    return { serving: await serve(parts, 'history'), trouble: undefined };
  }
  try {
    return { serving: await serve(await source.read(), source.name), trouble: undefined };
  } catch (error) {
    const good = source.isRemote && lastGood !== undefined ? await store.get(lastGood) : undefined;
    if (good === undefined) throw error;
    const trouble = troubleOf(error);
    logger.error(
      { err: error, revision: lastGood },
      `the last good policy it is: ${trouble.reason}`,
    );
    // Overlays are of this machine, and those that it has now count.
    const parts = { bundle: good.bundle, overlays: await source.readOverlays() };
    return { serving: await serve(parts, 'last good'), trouble };
  }
};

/** The first policy: what the other replicas were told since this one ended, else its own. */
export const firstPolicy = async (
  options: KeeperOptions,
  kept: KeptState,
): Promise<FirstPolicy> => {
  const { loader, deadlineMs, now, wish } = options;
  const serve: Serve = async (parts, from) => {
    const verified = loader.verify(parts);
    const policy = await loader.prepare(verified, deadlineMs);
    return { policy, verified, source: from, since: sinceOf(kept, policy.revision) ?? now() };
  };
  if (wish === undefined || !isNewer(wish, kept.wish)) return ownPolicy(options, kept, serve);
  const serving = await pinnedElsewhere(options, wish, serve);
  if (serving !== undefined) return { serving, trouble: undefined, obeyed: wish };
  if (wish.pinned !== null) return ownPolicy(options, kept, serve);
  const unpinned = withPin(kept, undefined);
  return { ...(await ownPolicy(options, unpinned, serve)), obeyed: wish };
};
