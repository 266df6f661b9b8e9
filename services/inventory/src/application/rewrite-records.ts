import { ATTACHED_VIF, attachedVifOf, ConflictError } from '@tenure/contracts';
import { claimKey, externalResource, externalResourceIn } from '../domain/external-resources.js';
import { KINDS } from '../domain/kinds/all-kinds.js';
import { type ResourceSection, type Values } from '../domain/kinds/resource-kind.js';
import { DuplicateValueError } from '../ports/record-store.js';
import { type ResourceRecord } from '../ports/resource-records.js';
import { type ClaimRecord, type Stores } from '../ports/stores.js';
import { recount } from './budgets/recount.js';
import { claimOf, noteClaim, noteUse, releaseUnused } from './claims.js';
import { everyRecord } from './every-record.js';
import { occupy } from './vif-attachments.js';

const NAMING = { volume_targets: 'volume_id', volume_connectors: 'connector_id' } as const;

/** Changes the records of a store for the migration to a version. */
export const rewriteOf =
  (stores: Stores) =>
  async (version: number): Promise<void> => {
    if (version === 3) await canonicalIds(stores);
    if (version !== 4) return;
    await chargeVolumes(stores);
    await recount(stores, new Date());
  };

async function canonicalIds(stores: Stores): Promise<void> {
  await rewriteNames(stores, 'volume_targets');
  await rewriteNames(stores, 'volume_connectors');
  for (const section of ['portgroups', 'ports'] as const)
    for await (const record of everyRecord(stores.resources[section]))
      await noteAttached(stores, section, record);
  await rewriteClaims(stores);
}

/** Volumes that a tenant attached to its node are charged to the tenant, all others to the owner of the node. */
async function chargeVolumes(stores: Stores): Promise<void> {
  for (const section of ['volume_targets', 'volume_connectors'] as const)
    for await (const record of everyRecord(stores.resources[section])) {
      if (record.charged_to !== undefined) continue;
      const node = await stores.nodes.findBy('uuid', String(record.node_uuid));
      const project = record.tenant ?? node?.owner ?? null;
      await swapUnlessTaken(stores.resources[section], record, { charged_to: project });
    }
}

async function rewriteNames(stores: Stores, section: keyof typeof NAMING): Promise<void> {
  const field = NAMING[section];
  const store = stores.resources[section];
  for await (const record of everyRecord(store)) {
    const value = canonicalValue(section, record[field]);
    if (value !== record[field]) await swapUnlessTaken(store, record, { [field]: value });
    const resource = externalResourceIn(section, { ...record, [field]: value });
    if (resource !== undefined) await noteUse({ stores }, resource);
  }
}

async function noteAttached(
  stores: Stores,
  section: 'ports' | 'portgroups',
  { uuid, internal_info: info }: ResourceRecord,
): Promise<void> {
  const vif = attachedVifOf(info);
  if (vif === null) return;
  const existing = await claimOf({ stores }, externalResource('vif', vif));
  const written = info?.[ATTACHED_VIF];
  const projectId = (existing ?? (await formerClaim(stores, written)))?.project_id ?? null;
  try {
    await occupy({ stores }, { vif, projectId }, { section, uuid });
  } catch (error) {
    // Attached twice, under two spellings: the first place has it.
    if (!(error instanceof ConflictError)) throw error;
  }
}

/** A claim under another spelling goes over to the canonical one, unless that is claimed too. */
async function rewriteClaims(stores: Stores): Promise<void> {
  for await (const claim of everyRecord(stores.claims)) {
    const resource = externalResource(claim.kind, claim.id);
    if (claimKey(resource) !== claim.uuid) {
      const { project_id, place } = claim;
      const existing = await claimOf({ stores }, resource);
      if ((existing?.project_id ?? null) === null)
        await noteClaim({ stores }, resource, existing, {
          project_id,
          place: existing?.place ?? place,
        });
      await stores.claims.remove(claim.uuid, claim.revision, claim.revision);
    }
    await releaseUnused({ stores }, resource);
  }
}

/** A stored value that is not valid any more stays as it is until it is changed. */
function canonicalValue(section: keyof typeof NAMING, value: unknown): unknown {
  try {
    return KINDS[section].checkedValue(NAMING[section], value);
  } catch {
    return value;
  }
}

/**
 * A record that was changed meanwhile stays: the newer release wrote it. Of two records with one name, each keeps its
 * own.
 */
async function swapUnlessTaken(
  store: Stores['resources'][ResourceSection],
  before: ResourceRecord,
  values: Values,
): Promise<void> {
  try {
    await store.swap({ ...before, ...values, revision: before.revision + 1 }, before.revision);
  } catch (error) {
    if (!(error instanceof DuplicateValueError)) throw error;
  }
}

/** The claim of a VIF under the spelling that is stored on its port. */
const formerClaim = async (stores: Stores, written: unknown): Promise<ClaimRecord | undefined> =>
  typeof written === 'string' ? stores.claims.findBy('uuid', `vif:${written}`) : undefined;
