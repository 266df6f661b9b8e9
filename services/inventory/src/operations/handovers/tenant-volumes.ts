import { type NodeRecord } from '@tenure/contracts';
import { type Stores } from '../../ports/stores.js';
import { allWhere } from '../all-where.js';

const SECTIONS = ['volume_targets', 'volume_connectors'] as const;

/** Instead of a project: whoever hung them there. */
export const ALL_VOLUMES = Symbol('all volumes');

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
 * Removes volume targets and connectors of a node. Safe to repeat.
 * @param project those that this tenant hung there, or changed
 * @returns how many there were
 */
export const removeVolumes = async (
  { resources }: Pick<Stores, 'resources'>,
  nodeUuid: string,
  project: string | typeof ALL_VOLUMES,
): Promise<number> => {
  let count = 0;
  for (const section of SECTIONS) {
    const store = resources[section];
    const found = await store.list(allWhere({ field: 'node_uuid', op: 'eq', value: nodeUuid }));
    const leaving = found.filter(({ tenant }) => project === ALL_VOLUMES || tenant === project);
    for (const { uuid, revision } of leaving)
      if (await store.remove(uuid, revision, revision)) count += 1;
  }
  return count;
};
