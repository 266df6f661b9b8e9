import { type NodeRecord } from '@tenure/contracts';
import { type StoredLease } from '../../ports/stores.js';
import { recordEvent } from '../node-history.js';
import { type LeaseDependencies } from './find-lease.js';

/** The actor of an event: a user, or a conductor when a time has come. */
export interface Cause {
  readonly user: string | null;
  readonly conductor: string | null;
}

type Happened = 'began' | 'ended' | 'was extended or shortened';

/** A change of a lease, and its actor. */
export interface LeaseEvent extends Cause {
  readonly lease: StoredLease;
  readonly happened: Happened;
}

/** Adds a change of a lease to the history of its node, which only its owner and the system may read. */
export async function recordLease(
  { stores, now }: LeaseDependencies,
  node: NodeRecord,
  { lease, happened, user, conductor }: LeaseEvent,
): Promise<void> {
  await recordEvent({ stores, now }, node.uuid, {
    severity: 'INFO',
    event: `Lease ${lease.uuid} of project ${lease.lessee} ${happened}; its end is ${lease.end_time}.`,
    event_type: 'lease',
    conductor,
    user,
  });
}
