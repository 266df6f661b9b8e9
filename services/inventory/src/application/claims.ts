import { connectorSpellings, UnavailableError } from '@tenure/contracts';
import { type ResourceSection } from '../domain/kinds/resource-kind.js';
import { claimKey, NAMING_SECTIONS, type OutsideThing, thingIn } from '../domain/outside-things.js';
import { type ResourceRecord } from '../ports/resource-records.js';
import { type ClaimRecord, type Stores, type VifPlace } from '../ports/stores.js';
import { allWhere } from './all-where.js';
import { insertedUnlessThere, untilWritten } from './until-written.js';

const TRIES = 10;

export interface ClaimDependencies {
  readonly stores: Pick<Stores, 'claims' | 'resources' | 'nodes'>;
}

type Known = Partial<Pick<ClaimRecord, 'project_id' | 'place'>>;

/** A record on a node that names a thing. */
interface Holder {
  readonly section: ResourceSection;
  readonly record: ResourceRecord;
}

/** A thing as it stands: what is written down, and what uses it. */
export interface Standing {
  readonly claim: ClaimRecord | undefined;
  /** None: the thing is free, whatever is written down. */
  readonly holders: readonly Holder[];
  /**
   * Whose a thing in use is: the project's that it was claimed for; else that of the machine, so that what is on a machine
   * when a project gets it is that project's. Null on a machine that nobody has, and when nothing uses it.
   */
  readonly projectId: string | null;
}

/** What is written down of a thing; undefined when nothing is. It counts only while the thing is in use (`holdersOf`). */
export const claimOf = (
  { stores }: Pick<ClaimDependencies, 'stores'>,
  thing: OutsideThing,
): Promise<ClaimRecord | undefined> => stores.claims.findBy('uuid', claimKey(thing));

/**
 * Writes what is newly known of a thing over what was known.
 * @returns false when another was quicker, and nothing was written
 */
export async function noteClaim(
  { stores }: Pick<ClaimDependencies, 'stores'>,
  thing: OutsideThing,
  before: ClaimRecord | undefined,
  known: Known,
): Promise<boolean> {
  if (before !== undefined)
    return stores.claims.swap(
      { ...before, ...known, revision: before.revision + 1 },
      before.revision,
    );
  const inserted = stores.claims.insert((epoch) => ({
    project_id: null,
    place: null,
    ...known,
    ...thing,
    uuid: claimKey(thing),
    revision: epoch,
  }));
  return (await insertedUnlessThere(inserted)) !== undefined;
}

export async function standingOf(deps: ClaimDependencies, thing: OutsideThing): Promise<Standing> {
  const claim = await claimOf(deps, thing);
  const holders = await holdersOf(deps, thing);
  const [first] = holders;
  const projectId =
    first === undefined ? null : (claim?.project_id ?? (await tenantOf(deps, first)));
  return { claim, holders, projectId };
}

/**
 * Claims a thing that nothing uses for a project; what is in use stays whose it is. The claim is written before the thing
 * is used, and looked at again afterwards (`standingOf`): of two who claim at once the later one sees the earlier, or both
 * give way.
 * @param projectId null: for the project that has the machine, whichever that will be
 * @returns whose it is now; null when a machine that nobody has uses it, or is to
 * @throws UnavailableError
 */
export async function claimFor(
  deps: ClaimDependencies,
  thing: OutsideThing,
  projectId: string | null,
): Promise<string | null> {
  const attempt = async (): Promise<string | null | undefined> => {
    const { claim, holders, projectId: present } = await standingOf(deps, thing);
    if (holders.length > 0) return present;
    if (!(await noteClaim(deps, thing, claim, { project_id: projectId }))) return undefined;
    if ((await holdersOf(deps, thing)).length === 0) return projectId;
    // Another used it in the meantime: what had been written stands again.
    const former = { project_id: claim?.project_id ?? null };
    await noteClaim(deps, thing, await claimOf(deps, thing), former);
    return undefined;
  };
  return untilWritten(TRIES, attempt, madeByOthers);
}

/** Writes down that a thing is in use, where nothing is written yet: it is the project's that has the machine. */
export async function noteUse(deps: ClaimDependencies, thing: OutsideThing): Promise<void> {
  if ((await claimOf(deps, thing)) === undefined) await noteClaim(deps, thing, undefined, {});
}

/**
 * Writes down whose a thing in use is, where no claim says so yet: the project's that has the machine now, whoever has it
 * later.
 * @throws UnavailableError
 */
export async function settleClaim(deps: ClaimDependencies, thing: OutsideThing): Promise<void> {
  const attempt = async (): Promise<true | undefined> => {
    const { claim, projectId } = await standingOf(deps, thing);
    const isNoted = claim !== undefined && (claim.project_id !== null || projectId === null);
    if (isNoted || (await noteClaim(deps, thing, claim, { project_id: projectId }))) return true;
    return undefined;
  };
  await untilWritten(TRIES, attempt, madeByOthers);
}

/**
 * Writes down whose the things on a machine are, before another project gets it: they stay whose they were.
 * @throws UnavailableError
 */
export async function settleClaims(deps: ClaimDependencies, nodeUuid: string): Promise<void> {
  const where = { field: 'node_uuid', op: 'eq', value: nodeUuid } as const;
  for (const section of NAMING_SECTIONS)
    for (const record of await deps.stores.resources[section].list(allWhere(where))) {
      const thing = thingIn(section, record);
      if (thing !== undefined) await settleClaim(deps, thing);
    }
}

/**
 * Forgets a claim of a thing that nothing uses any more. One that is made meanwhile stays.
 * @param place of a VIF: forgets it only if it was last attached there
 */
export async function releaseUnused(
  deps: ClaimDependencies,
  thing: OutsideThing,
  place?: VifPlace,
): Promise<void> {
  const { claim, holders } = await standingOf(deps, thing);
  if (claim === undefined || holders.length > 0) return;
  if (place !== undefined && claim.place?.uuid !== place.uuid) return;
  await deps.stores.claims.remove(claim.uuid, claim.revision, claim.revision);
}

/** As `releaseUnused`, for what a record named that is gone, or names something else now. */
export async function releaseLeft(
  deps: ClaimDependencies,
  section: ResourceSection,
  record: ResourceRecord,
): Promise<void> {
  const thing = thingIn(section, record);
  if (thing === undefined) return;
  const isVif = section === 'ports' || section === 'portgroups';
  await releaseUnused(deps, thing, isVif ? { section, uuid: record.uuid } : undefined);
}

/**
 * What uses a thing at this moment, in the order in which it was made. This, and no claim, says whether a thing is in use:
 * a claim that a crash left behind counts for nothing.
 */
async function holdersOf(deps: ClaimDependencies, thing: OutsideThing): Promise<readonly Holder[]> {
  const { resources } = deps.stores;
  if (thing.kind === 'vif') return vifHolders(deps, thing);
  if (thing.kind === 'volume') {
    const where = { field: 'volume_id', op: 'eq', value: thing.id } as const;
    return (await resources.volume_targets.list(allWhere(where))).map(among('volume_targets'));
  }
  const values = connectorSpellings(thing.id);
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

async function vifHolders(deps: ClaimDependencies, thing: OutsideThing): Promise<Holder[]> {
  const place = (await claimOf(deps, thing))?.place ?? null;
  if (place === null) return [];
  const { section, uuid } = place;
  const record = await deps.stores.resources[section].findBy('uuid', uuid);
  if (record === undefined || thingIn(section, record)?.id !== thing.id) return [];
  return [{ section, record }];
}

const among =
  (section: ResourceSection) =>
  (record: ResourceRecord): Holder => ({ section, record });

const madeByOthers = (): UnavailableError =>
  new UnavailableError('The claim is being made by many others; please retry.');
