import { BadRequestError, NotFoundError } from '@tenure/contracts';
import { type ContextClaims } from '@tenure/contracts';
import { isUuid } from '../../domain/field-values.js';
import { isVisible, NODE_FILTER_FIELDS, restrictionOf } from '../../domain/visibility.js';
import {
  type Condition,
  type RecordPage,
  type RecordQuery,
  type Scalar,
} from '../../ports/record-store.js';
import { type StoredLease } from '../../ports/stores.js';
import { type LeaseDependencies } from './find-lease.js';

/** Which leases are asked for. */
export interface LeaseListing {
  readonly where: readonly Condition[];
  readonly order: RecordQuery['order'];
  /** Uuid of the lease before the page. */
  readonly marker: string | undefined;
  readonly limit: number;
  /** Requested fields of each lease; undefined: all fields. */
  readonly read: readonly string[] | undefined;
}

/** A marker that the caller may not see is as missing as one that does not exist. */
const positionOf = async (
  { stores: { leases } }: LeaseDependencies,
  { marker, order }: LeaseListing,
  { obligations }: Pick<ContextClaims, 'obligations'>,
): Promise<RecordQuery['after']> => {
  if (marker === undefined) return null;
  if (!isUuid(marker))
    throw new BadRequestError(`Expected a UUID but received ${marker.slice(0, 64)}.`);
  const lease = await leases.findBy('uuid', marker.toLowerCase());
  if (lease === undefined || !isVisible(lease, obligations.filter, NODE_FILTER_FIELDS))
    throw NotFoundError.of('Lease', marker);
  const value = order.field === null ? null : (lease[order.field] as Scalar | null); // sortable fields are scalars
  return { uuid: lease.uuid, value };
};

/**
 * The leases that the caller may see: as owner of the node when the lease was created, or as lessee.
 * @throws BadRequestError, NotFoundError for the marker
 */
export const listLeases = async (
  deps: LeaseDependencies,
  listing: LeaseListing,
  context: Pick<ContextClaims, 'obligations'>,
): Promise<RecordPage<StoredLease>> =>
  deps.stores.leases.page({
    anyOf: restrictionOf(context.obligations.filter, NODE_FILTER_FIELDS),
    where: listing.where,
    order: listing.order,
    after: await positionOf(deps, listing, context),
    limit: listing.limit,
    ...(listing.read !== undefined && { fields: listing.read }),
  });
