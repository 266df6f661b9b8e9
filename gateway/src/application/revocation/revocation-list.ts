import { type Identity } from '@tenure/tokens';
import { type RevocationEvent } from '../../ports/keystone.js';
import { type Revocable, revokes } from './revocation-event.js';

/** All revocations read so far, from every source. */
export interface RevocationList {
  /** @param until milliseconds since the epoch after which the event is no longer needed */
  readonly add: (events: readonly RevocationEvent[], until: number) => void;
  readonly isRevoked: (revocable: Revocable) => boolean;
  /** Number of stored events. */
  readonly size: () => number;
}

interface StoredEvent {
  readonly event: RevocationEvent;
  until: number;
}

/** The members by which events are indexed, the most selective one first. */
const INDEX = ['token_sha256', 'audit_id', 'audit_chain_id', 'user_id', 'project_id'] as const;

/** @param now milliseconds since the epoch */
export function createRevocationList(now: () => number = () => Date.now()): RevocationList {
  const buckets = new Map<string, Map<string, StoredEvent>>();
  /** Identities that no event of the current list revokes. */
  let cleared = new WeakSet<Identity>();
  let size = 0;

  const prune = (): void => {
    const time = now();
    for (const [key, bucket] of buckets) {
      for (const [id, { until }] of bucket) {
        if (until > time) continue;
        bucket.delete(id);
        size -= 1;
      }
      if (bucket.size === 0) buckets.delete(key);
    }
  };

  return {
    add: (events, until) => {
      prune();
      for (const event of events) {
        const key = keyOf(event);
        const bucket = buckets.get(key) ?? new Map<string, StoredEvent>();
        buckets.set(key, bucket);
        const id = JSON.stringify(event);
        const stored = bucket.get(id);
        if (stored === undefined) {
          bucket.set(id, { event, until });
          cleared = new WeakSet();
          size += 1;
        } else stored.until = Math.max(stored.until, until);
      }
    },
    isRevoked: (revocable) => {
      if (cleared.has(revocable.identity)) return false;
      const isMatched = keysOf(revocable).some((key) =>
        [...(buckets.get(key)?.values() ?? [])].some(({ event }) => revokes(event, revocable)),
      );
      if (!isMatched) cleared.add(revocable.identity);
      return isMatched;
    },
    size: () => size,
  };
}

function keyOf(event: RevocationEvent): string {
  const name = INDEX.find((member) => event[member] !== undefined);
  return name === undefined ? 'any' : `${name}:${event[name] ?? ''}`;
}

const keysOf = ({ identity, tokenSha256 }: Revocable): readonly string[] => [
  'any',
  `token_sha256:${tokenSha256}`,
  ...identity.auditIds.flatMap((id) => [`audit_id:${id}`, `audit_chain_id:${id}`]),
  ...new Set(
    [identity.subject.user_id, ...(identity.keystone?.user_ids ?? [])].map((id) => `user_id:${id}`),
  ),
  `project_id:${identity.subject.project_id ?? ''}`,
];
