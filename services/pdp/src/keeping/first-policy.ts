import { type KeptState, sinceOf } from '../domain/policy-history.js';
import { type PolicyParts } from '../ports/policy-source.js';
import { type KeeperOptions } from './keeper-options.js';
import { type Trouble, troubleOf } from './outcome.js';
import { type Serving } from './serving.js';

/** What a start begins with. */
interface FirstPolicy {
  readonly serving: Serving;
  readonly trouble: Trouble | undefined;
}

/** The first policy: what was pinned; else what the source has; else, when that is away, the last one that was in service. */
export const firstPolicy = async (
  { source, loader, store, deadlineMs, logger, now }: KeeperOptions,
  kept: KeptState,
): Promise<FirstPolicy> => {
  const { pinned, last_good: lastGood } = kept;
  const serve = async (parts: PolicyParts, from: string): Promise<Serving> => {
    const verified = loader.verify(parts);
    const policy = await loader.prepare(verified, deadlineMs);
    return { policy, verified, source: from, since: sinceOf(kept, policy.revision) ?? now() };
  };
  if (pinned !== undefined) {
    const parts = await store.get(pinned);
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
