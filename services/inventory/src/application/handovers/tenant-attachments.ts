import { ATTACHED_VIF, attachedVifOf, type NodeRecord, UnavailableError } from '@tenure/contracts';
import { type ResourceSection } from '../../domain/kinds/resource-kind.js';
import { type ResourceRecord } from '../../ports/resource-records.js';
import { type Stores, type VifPlace } from '../../ports/stores.js';
import { allWhere } from '../all-where.js';
import { releaseLeft } from '../claims.js';
import { untilWritten } from '../until-written.js';

const SECTIONS = ['volume_targets', 'volume_connectors'] as const;

/** Selects the volumes of all projects. */
export const ALL_VOLUMES = Symbol('all volumes');

type AttachmentStores = Pick<Stores, 'resources' | 'claims' | 'nodes'>;

const TRIES = 10;

/** Whether records of a section are removed with the tenant that made them. */
export const isTenants = (section: string): boolean =>
  (SECTIONS as readonly string[]).includes(section);

/** The lessee for whom a caller attaches a record to a node; undefined for the owner and the system. */
export const tenantIn = (
  node: Pick<NodeRecord, 'owner' | 'lessee'> | null,
  project: string | null | undefined,
): string | undefined =>
  node !== null && node.lessee !== null && node.lessee !== node.owner && node.lessee === project
    ? node.lessee
    : undefined;

/**
 * Removes volume targets and connectors of a node, with their claims. Safe to repeat.
 * @param project the tenant that attached or changed them
 * @returns how many there were
 */
export async function removeVolumes(
  stores: AttachmentStores,
  nodeUuid: string,
  project: string | typeof ALL_VOLUMES,
): Promise<number> {
  let count = 0;
  for (const section of SECTIONS) {
    const found = await recordsOn(stores, section, nodeUuid);
    const leaving = found.filter(({ tenant }) => project === ALL_VOLUMES || tenant === project);
    for (const record of leaving) {
      const { uuid, revision } = record;
      if (!(await stores.resources[section].remove(uuid, revision, revision))) continue;
      await releaseLeft({ stores }, section, record);
      count += 1;
    }
  }
  return count;
}

/**
 * Detaches every VIF of a node. Safe to repeat.
 * @param at as `timestampOf` writes it
 * @returns how many there were
 */
export async function detachVifs(
  stores: AttachmentStores,
  nodeUuid: string,
  at: string,
): Promise<number> {
  let count = 0;
  for (const section of ['portgroups', 'ports'] as const)
    for (const { uuid } of await recordsOn(stores, section, nodeUuid))
      if (await detach(stores, { section, uuid }, at)) count += 1;
  return count;
}

/** The records of one section that belong to a node. */
const recordsOn = (
  { resources }: AttachmentStores,
  section: ResourceSection,
  nodeUuid: string,
): Promise<readonly ResourceRecord[]> =>
  resources[section].list(allWhere({ field: 'node_uuid', op: 'eq', value: nodeUuid }));

/** @returns whether a VIF was attached to it */
async function detach(
  stores: AttachmentStores,
  { section, uuid }: VifPlace,
  at: string,
): Promise<boolean> {
  const store = stores.resources[section];
  const attempt = async (): Promise<boolean | undefined> => {
    const record = await store.findBy('uuid', uuid);
    if (record === undefined || attachedVifOf(record.internal_info) === null) return false;
    const internal_info = Object.fromEntries(
      Object.entries(record.internal_info ?? {}).filter(([name]) => name !== ATTACHED_VIF),
    );
    const revision = record.revision + 1;
    if (
      !(await store.swap({ ...record, internal_info, updated_at: at, revision }, record.revision))
    )
      return undefined;
    await releaseLeft({ stores }, section, record);
    return true;
  };
  return untilWritten(
    TRIES,
    attempt,
    () => new UnavailableError(`Attachments of ${uuid} are being changed by many others.`),
  );
}
