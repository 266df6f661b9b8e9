import {
  BadRequestError,
  type ContextClaims,
  isUuid,
  type NodeRecord,
  NotFoundError,
  TenancyChangedError,
  UnauthorizedError,
} from '@tenure/contracts';
import { type ResourceKind } from '../../domain/kinds/resource-kind.js';
import { type ResourceRecord } from '../../ports/resource-records.js';
import { type Stores } from '../../ports/stores.js';

export type ResourceStores = Pick<Stores, 'resources' | 'nodes' | 'claims'>;
export type ResourceContext = Pick<ContextClaims, 'resources' | 'obligations' | 'subject'>;

/** A record and its node; null when it belongs to none, or the node does not exist any more. */
export interface Found {
  readonly record: ResourceRecord;
  readonly node: NodeRecord | null;
}

/** The tenancy of a record whose node does not exist any more. */
export const NO_TENANCY = { owner: null, lessee: null, tenancy_revision: 0 } as const;

/** The node of a record. */
export async function nodeOf(
  { nodes }: Pick<Stores, 'nodes'>,
  record: ResourceRecord,
): Promise<NodeRecord | null> {
  const uuid = record.node_uuid;
  return typeof uuid === 'string' ? ((await nodes.findBy('uuid', uuid)) ?? null) : null;
}

/** A record by its uuid, or by its name where its kind has one. */
export async function findByIdent(
  stores: Pick<Stores, 'resources'>,
  { section, named }: ResourceKind,
  ident: string,
): Promise<ResourceRecord | undefined> {
  const store = stores.resources[section];
  if (isUuid(ident)) return store.findBy('uuid', ident.toLowerCase());
  return named ? store.findBy('name', ident) : undefined;
}

/**
 * The record of a request. For a record of a node, the one that the context names, and never the ident in the path; for
 * other kinds, which have no tenancy, the one in the path.
 * @throws NotFoundError, TenancyChangedError, UnauthorizedError
 */
export async function findCurrent(
  stores: ResourceStores,
  kind: ResourceKind,
  ident: string,
  context: ResourceContext,
): Promise<Found> {
  const record = kind.onNode
    ? await stores.resources[kind.section].findBy('uuid', uuidNamed(kind, context))
    : await findByIdent(stores, kind, ident);
  if (record === undefined) throw NotFoundError.of(kind.label, ident);
  if (!kind.onNode) return { record, node: null };
  const found = { record, node: await nodeOf(stores, record) };
  assertAsDecided(found, context);
  return found;
}

/**
 * The same error for a link to a missing, an invisible and a foreign record, so that it does not reveal which records
 * exist.
 */
export const linkRefused = (field: string): BadRequestError =>
  new BadRequestError(`Unable to apply the requested ${field}. Requested value was invalid.`);

function uuidNamed({ type, what }: ResourceKind, { resources }: ResourceContext): string {
  const [resource] = resources;
  if (resource?.type !== type) throw new UnauthorizedError(`The signed context names no ${what}.`);
  return resource.uuid;
}

/**
 * Refuses a decision about another node, or about another owner or lessee of this one.
 * @throws TenancyChangedError
 */
function assertAsDecided({ record, node }: Found, { resources }: ResourceContext): void {
  const nodeUuid = resources.find(({ type }) => type === 'node')?.uuid ?? null;
  if ((record.node_uuid ?? null) !== nodeUuid) throw new TenancyChangedError();
  const { tenancy_revision: current } = node ?? NO_TENANCY;
  for (const { uuid, tenancy_revision: decided } of resources)
    if ((uuid === record.uuid || uuid === nodeUuid) && decided !== current)
      throw new TenancyChangedError();
}
