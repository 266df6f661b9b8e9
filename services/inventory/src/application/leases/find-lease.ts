import {
  type ContextClaims,
  isUuid,
  NotFoundError,
  timestampOf,
  UnauthorizedError,
  UnavailableError,
} from '@tenure/contracts';
import { type StoredLease, type Stores } from '../../ports/stores.js';
import { assertCurrent } from '../change-node.js';
import { untilWritten } from '../until-written.js';

type LeaseStores = Pick<Stores, 'leases' | 'nodes' | 'allocations' | 'nodeHistory'>;

export interface LeaseDependencies {
  readonly stores: LeaseStores;
  readonly now: () => Date;
}

const MAX_TRIES = 20;

interface LeaseChange {
  readonly lease: StoredLease;
  readonly isChanged: boolean;
}

/** @throws NotFoundError */
export async function findLease(
  { leases }: Pick<Stores, 'leases'>,
  ident: string,
): Promise<StoredLease> {
  const found = isUuid(ident) ? await leases.findBy('uuid', ident.toLowerCase()) : undefined;
  if (found === undefined) throw NotFoundError.of('Lease', ident);
  return found;
}

/**
 * The lease that the context speaks of, never the one of the path.
 * @throws NotFoundError, TenancyChangedError, UnauthorizedError
 */
export async function namedLease(
  stores: Pick<Stores, 'leases'>,
  context: Pick<ContextClaims, 'resources'>,
): Promise<StoredLease> {
  const [resource] = context.resources;
  if (resource?.type !== 'lease') throw new UnauthorizedError('The signed context names no lease.');
  const lease = await findLease(stores, resource.uuid);
  assertCurrent(lease, context);
  return lease;
}

/**
 * Changes one lease under optimistic concurrency.
 * @param change sees the lease at the very revision that is written over; throws to refuse; undefined changes nothing
 * @returns the lease, and whether it was written
 * @throws NotFoundError; UnavailableError when others keep winning
 */
export async function changeLease(
  { stores: { leases }, now }: LeaseDependencies,
  uuid: string,
  change: (lease: StoredLease) => Partial<StoredLease> | undefined,
): Promise<LeaseChange> {
  const attempt = async (): Promise<LeaseChange | undefined> => {
    const before = await findLease({ leases }, uuid);
    const values = change(before);
    if (values === undefined) return { lease: before, isChanged: false };
    const after: StoredLease = {
      ...before,
      ...values,
      updated_at: timestampOf(now()),
      revision: before.revision + 1,
    };
    return (await leases.swap(after, before.revision))
      ? { lease: after, isChanged: true }
      : undefined;
  };
  return untilWritten(
    MAX_TRIES,
    attempt,
    () => new UnavailableError(`Lease ${uuid} is being changed by many others; please retry.`),
  );
}
