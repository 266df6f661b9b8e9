import { type ContextClaims } from '@tenure/contracts';
import { NODE_FILTER_FIELDS, restrictionOf } from '../../domain/visibility.js';
import { type Condition, type RecordPage, type RecordQuery } from '../../ports/record-store.js';
import { type StoredLease } from '../../ports/stores.js';
import { markerPosition } from '../marker-position.js';
import { type LeaseDependencies } from './find-lease.js';

/** The filters of a list of leases. */
export interface LeaseListing {
  readonly where: readonly Condition[];
  readonly order: RecordQuery['order'];
  /** Uuid of the lease before the page. */
  readonly marker: string | undefined;
  readonly limit: number;
  /** Requested fields of each lease; undefined: all fields. */
  readonly read: readonly string[] | undefined;
}

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
    after: await markerPosition(deps.stores.leases, 'Lease', listing, context.obligations.filter),
    limit: listing.limit,
    ...(listing.read !== undefined && { fields: listing.read }),
  });
