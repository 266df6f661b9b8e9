import { type Logger } from '@tenure/process';
import { type RevocationEntry, type RevocationStore } from '@tenure/shared-state';
import { type Keystone, type RevocationEvent } from '../../ports/keystone.js';
import { type Poller, startPoller } from './poller.js';
import { type RevocationList } from './revocation-list.js';

interface SourceOptions {
  readonly list: RevocationList;
  readonly everyMs: number;
  readonly logger: Logger;
}

/** Seconds by which clocks of Keystone's servers may differ, or a write may be late. */
const OVERLAP = 60;

/**
 * Polls Keystone's revocation events. An event is needed only while a token that was validated before it may be cached:
 * afterwards Keystone itself refuses the token.
 * @param cacheSeconds seconds for which a validated token stays cached
 */
export function watchKeystoneEvents(
  keystone: Keystone,
  cacheSeconds: number,
  { list, everyMs, logger }: SourceOptions,
): Poller {
  let since = Date.now() / 1000 - cacheSeconds - OVERLAP;
  return startPoller({
    name: 'keystone',
    everyMs,
    logger,
    poll: async () => {
      const { events, asOf } = await keystone.revocations(since);
      list.add(events, Date.now() + (cacheSeconds + 2 * OVERLAP) * 1000);
      // By Keystone's clock, not ours.
      since = asOf - OVERLAP;
    },
  });
}

/**
 * Polls the revocations of operators, and keeps each until it expires. An entry that the store has lost is written again, so
 * that a gateway that starts later reads it.
 */
export function watchStore(
  store: RevocationStore,
  { list, everyMs, logger }: SourceOptions,
): Poller {
  const cached = new Map<string, RevocationEntry>();
  const restoreMissing = async (there: ReadonlySet<string>): Promise<void> => {
    for (const [id, entry] of cached) {
      if (entry.until * 1000 <= Date.now()) cached.delete(id);
      else if (!there.has(id)) await store.add(entry);
    }
  };
  return startPoller({
    name: 'operator',
    everyMs,
    logger,
    poll: async () => {
      const entries = await store.list();
      for (const entry of entries) {
        cached.set(entry.id, entry);
        list.add([eventOf(entry)], entry.until * 1000);
      }
      // The read succeeded, which counts; a failed write is retried at the next poll.
      await restoreMissing(new Set(entries.map(({ id }) => id))).catch(() => undefined);
    },
  });
}

const eventOf = ({
  id: _id,
  until: _until,
  issued_before,
  ...named
}: RevocationEntry): RevocationEvent => ({
  issuedBefore: issued_before,
  ...named,
});
