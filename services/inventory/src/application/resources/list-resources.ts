import { BadRequestError, isUuid, type NodeRecord, NotFoundError } from '@tenure/contracts';
import { type ResourceKind } from '../../domain/kinds/resource-kind.js';
import { isVisible, NODE_FILTER_FIELDS, restrictionOf } from '../../domain/visibility.js';
import {
  type Condition,
  type Projected,
  type RecordQuery,
  type Through,
  positionAfter,
} from '../../ports/record-store.js';
import { type ResourceRecord } from '../../ports/resource-records.js';
import { findByIdent, nodeOf, type ResourceContext, type ResourceStores } from './find-resource.js';

/** The filters of a list of records of one kind. */
export interface ResourceListing {
  readonly where: readonly Condition[];
  /** Conditions on the node of a record. */
  readonly whereNode: readonly Condition[];
  readonly order: RecordQuery['order'];
  /** Uuid of the record before the page. */
  readonly marker: string | undefined;
  readonly limit: number;
  /** Requested fields of each record, including `node_uuid`; undefined: all fields. */
  readonly read: readonly string[] | undefined;
}

/** A page of a list. */
export interface ResourcePage {
  /** Each with its node, where it matters what the caller is to it. */
  readonly found: readonly {
    readonly record: Projected<ResourceRecord>;
    readonly node: Projected<NodeRecord> | null;
  }[];
  /** Uuid of the last record when there are more. */
  readonly next: string | undefined;
}

/**
 * A record that a filter names, if the caller may see it.
 * @throws NotFoundError for one that is missing, and for one that the caller may not see
 */
export async function findVisible(
  stores: ResourceStores,
  kind: ResourceKind,
  ident: string,
  context: ResourceContext,
): Promise<ResourceRecord> {
  const record = await findByIdent(stores, kind, ident);
  if (record === undefined || !isListed(kind, await nodeOf(stores, record), context))
    throw NotFoundError.of(kind.label, ident);
  return record;
}

/**
 * Records that the caller may see.
 * @throws BadRequestError, NotFoundError for the marker
 */
export async function listResources(
  stores: ResourceStores,
  kind: ResourceKind,
  listing: ResourceListing,
  context: ResourceContext,
): Promise<ResourcePage> {
  const through = throughOf(kind, listing.whereNode, context);
  const { rows, more } = await stores.resources[kind.section].page({
    anyOf: null,
    ...(through !== undefined && { through }),
    where: listing.where,
    order: listing.order,
    after: await positionOf(stores, kind, listing, context),
    limit: listing.limit,
    ...(listing.read !== undefined && { fields: listing.read }),
  });
  const nodes = await nodesOf(stores, rows, context);
  return {
    // A node that changed hands between the two reads is judged as it was read last, as its masks are.
    found: rows
      .map((record) => ({ record, node: nodes.get(record.node_uuid) ?? null }))
      .filter(({ node }) => isListed(kind, node, context)),
    next: more ? rows.at(-1)?.uuid : undefined,
  };
}

/**
 * Whether the caller may see a record of a list, by owner and lessee of its node. A record whose node does not exist
 * any more has neither, and is visible only to callers without a filter.
 */
const isListed = (
  kind: ResourceKind,
  node: Projected<NodeRecord> | null,
  context: ResourceContext,
): boolean => !kind.onNode || isVisible(node ?? {}, context.obligations.filter, NODE_FILTER_FIELDS);

function throughOf(
  kind: ResourceKind,
  whereNode: readonly Condition[],
  { obligations }: ResourceContext,
): Through | undefined {
  if (!kind.onNode) return undefined;
  const anyOf = restrictionOf(obligations.filter, NODE_FILTER_FIELDS);
  return anyOf === null && whereNode.length === 0 ? undefined : { anyOf, where: whereNode };
}

async function positionOf(
  stores: ResourceStores,
  kind: ResourceKind,
  { marker, order }: ResourceListing,
  context: ResourceContext,
): Promise<RecordQuery['after']> {
  if (marker === undefined) return null;
  if (!isUuid(marker))
    throw new BadRequestError(`Expected a UUID but received ${marker.slice(0, 64)}.`);
  const record = await findVisible(stores, kind, marker, context);
  return positionAfter(record, order);
}

/** The nodes of the records, read at once; none when every row has the same view. */
async function nodesOf(
  { nodes }: ResourceStores,
  records: readonly Projected<ResourceRecord>[],
  { obligations }: ResourceContext,
): Promise<ReadonlyMap<unknown, Projected<NodeRecord>>> {
  if (obligations.filter.mode !== 'any_of') return new Map();
  const uuids = [...new Set(records.map((record) => record.node_uuid))].filter(
    (uuid) => typeof uuid === 'string',
  );
  if (uuids.length === 0) return new Map();
  const { rows } = await nodes.page({
    anyOf: null,
    where: [{ field: 'uuid', op: 'in', values: uuids }],
    order: { field: null, descending: false },
    after: null,
    limit: uuids.length,
    fields: NODE_FILTER_FIELDS,
  });
  return new Map(rows.map((node) => [node.uuid, node]));
}
