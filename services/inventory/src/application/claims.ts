import { connectorSpellings, UnavailableError } from '@tenure/contracts';
import {
  claimKey,
  NAMING_SECTIONS,
  type ExternalResource,
  externalResourceIn,
} from '../domain/external-resources.js';
import { type ResourceSection } from '../domain/kinds/resource-kind.js';
import { type ResourceRecord } from '../ports/resource-records.js';
import { type ClaimRecord, type Stores, type VifPlace } from '../ports/stores.js';
import { allWhere } from './all-where.js';
import { insertedUnlessThere, untilWritten } from './until-written.js';

const TRIES = 10;

export interface ClaimDependencies {
  readonly stores: Pick<Stores, 'claims' | 'resources' | 'nodes'>;
}

type ClaimValues = Partial<Pick<ClaimRecord, 'project_id' | 'place'>>;

/** A record on a node that names an external resource. */
interface Holder {
  readonly section: ResourceSection;
  readonly record: ResourceRecord;
}

/** The use of an external resource: its claim, and the records that name it. */
export interface ResourceUse {
  readonly claim: ClaimRecord | undefined;
  /** Empty when the resource is free, whatever the claim says. */
  readonly holders: readonly Holder[];
  /**
   * The project that owns a resource in use: the one of the claim, else that of the machine, so that a project that
   * gets a machine also gets what is attached to it. Null when the machine has neither lessee nor owner, and when the
   * resource is free.
   */
  readonly projectId: string | null;
}

/**
 * The stored claim of a resource; undefined when there is none. It counts only while the resource is in use
 * (`holdersOf`).
 */
export const claimOf = (
  { stores }: Pick<ClaimDependencies, 'stores'>,
  resource: ExternalResource,
): Promise<ClaimRecord | undefined> => stores.claims.findBy('uuid', claimKey(resource));

/**
 * Writes new values to the claim of a resource.
 * @returns false when a concurrent write won, and nothing was written
 */
export async function noteClaim(
  { stores }: Pick<ClaimDependencies, 'stores'>,
  resource: ExternalResource,
  before: ClaimRecord | undefined,
  values: ClaimValues,
): Promise<boolean> {
  if (before !== undefined)
    return stores.claims.swap(
      { ...before, ...values, revision: before.revision + 1 },
      before.revision,
    );
  const inserted = stores.claims.insert((epoch) => ({
    project_id: null,
    place: null,
    ...values,
    ...resource,
    uuid: claimKey(resource),
    revision: epoch,
  }));
  return (await insertedUnlessThere(inserted)) !== undefined;
}

export async function useOf(
  deps: ClaimDependencies,
  resource: ExternalResource,
): Promise<ResourceUse> {
  const claim = await claimOf(deps, resource);
  const holders = await holdersOf(deps, resource);
  const [first] = holders;
  const projectId =
    first === undefined ? null : (claim?.project_id ?? (await tenantOf(deps, first)));
  return { claim, holders, projectId };
}

/**
 * Claims a free resource for a project; a resource in use keeps its project. The claim is written before the resource
 * is used, and checked again afterwards (`useOf`): of two concurrent claims the later one sees the earlier, or both
 * retry.
 * @param projectId null: for the project that has the machine, whichever that will be
 * @returns the project that owns it now; null when it is used, or will be, on a machine without owner and lessee
 * @throws UnavailableError
 */
export async function claimFor(
  deps: ClaimDependencies,
  resource: ExternalResource,
  projectId: string | null,
): Promise<string | null> {
  const attempt = async (): Promise<string | null | undefined> => {
    const { claim, holders, projectId: present } = await useOf(deps, resource);
    if (holders.length > 0) return present;
    if (!(await noteClaim(deps, resource, claim, { project_id: projectId }))) return undefined;
    if ((await holdersOf(deps, resource)).length === 0) return projectId;
    // A concurrent call used the resource: the former claim is restored.
    const former = { project_id: claim?.project_id ?? null };
    await noteClaim(deps, resource, await claimOf(deps, resource), former);
    return undefined;
  };
  return untilWritten(TRIES, attempt, claimContended);
}

/** Records that a resource is in use, if it has no claim yet: it belongs to the project that has the machine. */
export async function noteUse(deps: ClaimDependencies, resource: ExternalResource): Promise<void> {
  if ((await claimOf(deps, resource)) === undefined) await noteClaim(deps, resource, undefined, {});
}

/**
 * Records the project of a resource in use, if its claim has none yet: the project that has the machine now, even if
 * another gets the machine later.
 * @throws UnavailableError
 */
export async function recordProject(
  deps: ClaimDependencies,
  resource: ExternalResource,
): Promise<void> {
  const attempt = async (): Promise<true | undefined> => {
    const { claim, projectId } = await useOf(deps, resource);
    const isNoted = claim !== undefined && (claim.project_id !== null || projectId === null);
    if (isNoted || (await noteClaim(deps, resource, claim, { project_id: projectId }))) return true;
    return undefined;
  };
  await untilWritten(TRIES, attempt, claimContended);
}

/**
 * Records the projects of the resources on a machine before another project gets it, so that they keep their projects.
 * @throws UnavailableError
 */
export async function recordProjects(deps: ClaimDependencies, nodeUuid: string): Promise<void> {
  const where = { field: 'node_uuid', op: 'eq', value: nodeUuid } as const;
  for (const section of NAMING_SECTIONS)
    for (const record of await deps.stores.resources[section].list(allWhere(where))) {
      const resource = externalResourceIn(section, record);
      if (resource !== undefined) await recordProject(deps, resource);
    }
}

/**
 * Removes the claim of a free resource. A claim that is made concurrently stays.
 * @param place of a VIF: removes the claim only if the VIF was last attached there
 */
export async function releaseUnused(
  deps: ClaimDependencies,
  resource: ExternalResource,
  place?: VifPlace,
): Promise<void> {
  const { claim, holders } = await useOf(deps, resource);
  if (claim === undefined || holders.length > 0) return;
  if (place !== undefined && claim.place?.uuid !== place.uuid) return;
  await deps.stores.claims.remove(claim.uuid, claim.revision, claim.revision);
}

/** As `releaseUnused`, for the resource of a record that was removed, or that names another one now. */
export async function releaseLeft(
  deps: ClaimDependencies,
  section: ResourceSection,
  record: ResourceRecord,
): Promise<void> {
  const resource = externalResourceIn(section, record);
  if (resource === undefined) return;
  const isVif = section === 'ports' || section === 'portgroups';
  await releaseUnused(deps, resource, isVif ? { section, uuid: record.uuid } : undefined);
}

/**
 * The records that use a resource now, in the order of their creation. They alone decide whether a resource is in use;
 * a claim that a crash left behind does not.
 */
async function holdersOf(
  deps: ClaimDependencies,
  resource: ExternalResource,
): Promise<readonly Holder[]> {
  const { resources } = deps.stores;
  if (resource.kind === 'vif') return vifHolders(deps, resource);
  if (resource.kind === 'volume') {
    const where = { field: 'volume_id', op: 'eq', value: resource.id } as const;
    return (await resources.volume_targets.list(allWhere(where))).map(among('volume_targets'));
  }
  const values = connectorSpellings(resource.id);
  const where = { field: 'connector_id', op: 'in', values } as const;
  return (await resources.volume_connectors.list(allWhere(where))).map(among('volume_connectors'));
}

/** The project that has the node of a record: its lessee, or else its owner. Null when nobody has it. */
async function tenantOf(
  { stores }: Pick<ClaimDependencies, 'stores'>,
  { record }: Holder,
): Promise<string | null> {
  const uuid = record.node_uuid;
  const node = typeof uuid === 'string' ? await stores.nodes.findBy('uuid', uuid) : undefined;
  return node?.lessee ?? node?.owner ?? null;
}

async function vifHolders(deps: ClaimDependencies, resource: ExternalResource): Promise<Holder[]> {
  const place = (await claimOf(deps, resource))?.place ?? null;
  if (place === null) return [];
  const { section, uuid } = place;
  const record = await deps.stores.resources[section].findBy('uuid', uuid);
  if (record === undefined || externalResourceIn(section, record)?.id !== resource.id) return [];
  return [{ section, record }];
}

const among =
  (section: ResourceSection) =>
  (record: ResourceRecord): Holder => ({ section, record });

const claimContended = (): UnavailableError =>
  new UnavailableError('The claim is being made by many others; please retry.');
