import { type NodeRecord } from '@tenure/contracts';
import { type Stores } from '../../ports/stores.js';
import { allWhere } from '../all-where.js';

const SECTIONS = ['volume_targets', 'volume_connectors'] as const;

/** Whether records of a section are removed with the tenant that made them. */
export const isTenants = (section: string): boolean =>
  (SECTIONS as readonly string[]).includes(section);

/** The lessee in whose name something is hung on a node; undefined: it is the owner's or the system's. */
export const tenantIn = (
  node: Pick<NodeRecord, 'owner' | 'lessee'> | null,
  project: string | null | undefined,
): string | undefined =>
  node !== null && node.lessee !== null && node.lessee !== node.owner && node.lessee === project
    ? node.lessee
    : undefined;

/**
 * Removes the volume targets and connectors that a tenant hung on a node, or changed. Safe to repeat.
 * @returns how many there were
 */
export const removeTenantsVolumes = async (
  { resources }: Pick<Stores, 'resources'>,
  nodeUuid: string,
  project: string,
): Promise<number> => {
  let count = 0;
  for (const section of SECTIONS) {
    const store = resources[section];
    const found = await store.list(allWhere({ field: 'node_uuid', op: 'eq', value: nodeUuid }));
    for (const { uuid, revision } of found.filter(({ tenant }) => tenant === project))
      if (await store.remove(uuid, revision, revision)) count += 1;
  }
  return count;
};
