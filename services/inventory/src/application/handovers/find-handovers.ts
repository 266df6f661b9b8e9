import {
  BadRequestError,
  isUuid,
  type NodeRecord,
  NotFoundError,
  type PolicyFilter,
} from '@tenure/contracts';
import { HANDOVER_FILTER_FIELDS, isVisible, restrictionOf } from '../../domain/visibility.js';
import { type Condition, type RecordPage, type RecordQuery } from '../../ports/record-store.js';
import { type StoredHandover, type Stores } from '../../ports/stores.js';
import { allWhere } from '../all-where.js';

type HandoverStores = Pick<Stores, 'handovers'>;

/** The filters of a list of handovers, and its caller. */
export interface HandoverListing {
  /** The node that they are of; undefined: of whichever node. */
  readonly nodeUuid: string | undefined;
  /** Which of them the caller gets. */
  readonly filter: PolicyFilter;
  /** Uuid of the handover before the page. */
  readonly marker: string | undefined;
  readonly limit: number;
  /** Requested fields of each handover. */
  readonly read: readonly string[];
}

/** The completed handover of a node with this number in its chain. */
export async function handoverNumbered(
  { handovers }: HandoverStores,
  nodeUuid: string,
  number: number,
): Promise<StoredHandover | undefined> {
  const [found] = await handovers.list(
    allWhere(
      { field: 'node_uuid', op: 'eq', value: nodeUuid },
      { field: 'number', op: 'eq', value: number },
    ),
  );
  return found;
}

/**
 * One handover that the caller may see; any other is as missing as one that does not exist.
 * @throws BadRequestError for what is no uuid, NotFoundError
 */
export async function visibleHandover(
  { handovers }: HandoverStores,
  ident: string,
  { nodeUuid, filter }: Pick<HandoverListing, 'nodeUuid' | 'filter'>,
): Promise<StoredHandover> {
  if (!isUuid(ident))
    throw new BadRequestError(`Expected a UUID but received ${ident.slice(0, 64)}.`);
  const found = await handovers.findBy('uuid', ident.toLowerCase());
  if (
    found === undefined ||
    (nodeUuid !== undefined && found.node_uuid !== nodeUuid) ||
    !isVisible(found, filter, HANDOVER_FILTER_FIELDS)
  )
    throw missing(ident);
  return found;
}

/**
 * The handovers that the caller may see, oldest first.
 * @throws BadRequestError, NotFoundError for the marker
 */
export async function listHandovers(
  stores: HandoverStores,
  { nodeUuid, filter, marker, limit, read }: HandoverListing,
): Promise<RecordPage<StoredHandover>> {
  const before =
    marker === undefined ? undefined : await visibleHandover(stores, marker, { nodeUuid, filter });
  return stores.handovers.page({
    ...inOrder(ofNode(nodeUuid), limit),
    fields: read,
    anyOf: restrictionOf(filter, HANDOVER_FILTER_FIELDS),
    after: before === undefined ? null : { uuid: before.uuid, value: null },
  });
}

/**
 * A page of all handovers of a node, the oldest first, for the verification of the record.
 * @param marker uuid of the handover before the page
 * @throws BadRequestError for a marker that is no handover of the node
 */
export async function handoversOf(
  { handovers }: HandoverStores,
  { uuid }: Pick<NodeRecord, 'uuid'>,
  { marker, limit }: { readonly marker: string | undefined; readonly limit: number },
): Promise<readonly StoredHandover[]> {
  if (marker !== undefined && (await handovers.findBy('uuid', marker))?.node_uuid !== uuid)
    throw new BadRequestError('The marker is no handover of this node.');
  return handovers.list({
    ...inOrder(ofNode(uuid), limit),
    after: marker === undefined ? null : { uuid: marker, value: null },
  });
}

const missing = (ident: string): NotFoundError =>
  NotFoundError.part(`Handover ${ident.slice(0, 64)} could not be found.`);

const inOrder = (where: readonly Condition[], limit: number): RecordQuery => ({
  anyOf: null,
  where,
  order: { field: null, descending: false },
  after: null,
  limit,
});

const ofNode = (nodeUuid: string | undefined): readonly Condition[] =>
  nodeUuid === undefined ? [] : [{ field: 'node_uuid', op: 'eq', value: nodeUuid }];
