import { BadRequestError, isUuid, NotFoundError, type PolicyFilter } from '@tenure/contracts';
import { isVisible, NODE_FILTER_FIELDS } from '../domain/visibility.js';
import {
  positionAfter,
  type RecordQuery,
  type RecordStore,
  type StoredRecord,
} from '../ports/record-store.js';

interface Marked {
  readonly marker: string | undefined;
  readonly order: RecordQuery['order'];
}

/**
 * The position after a marker in a list of what owners and lessees see.
 * @param label names the kind in the error: `Lease`
 * @throws BadRequestError; NotFoundError also for a marker that the caller may not see
 */
export async function markerPosition<R extends StoredRecord>(
  store: Pick<RecordStore<R>, 'findBy'>,
  label: string,
  { marker, order }: Marked,
  filter: PolicyFilter,
): Promise<RecordQuery['after']> {
  if (marker === undefined) return null;
  if (!isUuid(marker))
    throw new BadRequestError(`Expected a UUID but received ${marker.slice(0, 64)}.`);
  const record = await store.findBy('uuid', marker.toLowerCase());
  if (record === undefined || !isVisible(record, filter, NODE_FILTER_FIELDS))
    throw NotFoundError.of(label, marker);
  return positionAfter(record, order);
}
