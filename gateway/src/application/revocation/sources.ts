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

/** Seconds by which clocks of Keystone's servers may differ, and a write may come late. */
const OVERLAP = 60;

/**
 * Keystone's revocation events. One is needed only as long as tokens that were validated before it may be in a cache:
 * Keystone itself refuses them afterwards.
 * @param cacheSeconds how long a validated token is believed
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
 * What operators revoked; once read it stays. A store that has lost an entry is given it back, so that a gateway that starts
 * later knows what this one knows.
 */
export function watchStore(
  store: RevocationStore,
  { list, everyMs, logger }: SourceOptions,
): Poller {
  const known = new Map<string, RevocationEntry>();
  const giveBack = async (there: ReadonlySet<string>): Promise<void> => {
    for (const [id, entry] of known) {
      if (entry.until * 1000 <= Date.now()) known.delete(id);
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
        known.set(entry.id, entry);
        list.add([eventOf(entry)], entry.until * 1000);
      }
      // What could be read counts; what could not be written is tried again at the next look.
      await giveBack(new Set(entries.map(({ id }) => id))).catch(() => undefined);
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
