import { type ContextClaims, minorOf } from '@tenure/contracts';
import { LEASE } from '../../domain/kinds/lease.js';
import { statusAt } from '../../domain/lease.js';
import { type Projected } from '../../ports/record-store.js';
import { type StoredLease } from '../../ports/stores.js';
import { resourceView } from './resource-view.js';

/** A lease with at least the fields in `leaseRecordFields`. */
type ViewedLease = Projected<StoredLease>;

/**
 * The fields of a lease's record that a list row needs.
 * @param members requested members; all when undefined
 * @returns undefined for the whole record
 */
export const leaseRecordFields = (
  members: readonly string[] | undefined,
): readonly string[] | undefined =>
  members && [
    ...members.filter((name) => !Object.hasOwn(LEASE.catalogue.linkMembers, name)),
    ...(members.includes('status') ? ['end_time'] : []),
  ];

/**
 * A lease as its caller sees it, with the status that it has now.
 * @param now as `timestampOf` writes it
 * @param fields requested members; all when undefined
 */
export const leaseView = (
  lease: ViewedLease,
  context: Parameters<typeof minorOf>[0] & Pick<ContextClaims, 'public_base' | 'obligations'>,
  now: string,
  fields?: readonly string[],
): Readonly<Record<string, unknown>> =>
  resourceView(
    LEASE,
    withStatusAt(lease, now),
    {
      base: context.public_base,
      minor: minorOf(context),
      masked: new Set(context.obligations.fields.masked),
    },
    fields,
  );

function withStatusAt(lease: ViewedLease, now: string): ViewedLease {
  const { status, end_time } = lease;
  return status === undefined || end_time === undefined
    ? lease
    : { ...lease, status: statusAt({ status, end_time }, now) };
}
