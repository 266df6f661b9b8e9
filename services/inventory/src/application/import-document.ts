import { attachedVifOf, BadRequestError, ConflictError, timestampOf } from '@tenure/contracts';
import { released } from '../domain/candidates.js';
import { externalResource, externalResourceIn } from '../domain/external-resources.js';
import { uuidIn } from '../domain/field-values.js';
import {
  importedNode,
  importedResource,
  type ImportedRow,
  importedRow,
  type Row,
} from '../domain/import-rows.js';
import { KINDS } from '../domain/kinds/all-kinds.js';
import { type ResourceKind, type ResourceSection } from '../domain/kinds/resource-kind.js';
import { importedVersion } from '../domain/node-record.js';
import { type QuotaRecord } from '../ports/budget-records.js';
import { type StoredRecord } from '../ports/record-store.js';
import { type ResourceRecord } from '../ports/resource-records.js';
import { ALLOCATION_SHAPE, NODE_SHAPE, resourceShape } from '../ports/shapes.js';
import {
  type ClaimRecord,
  type HistoryEntry,
  type NodeDocument,
  type StoredAllocation,
  type StoredHandover,
  type Stores,
  type VifPlace,
} from '../ports/stores.js';
import { changeNode } from './change-node.js';
import { releaseUnused, recordProject } from './claims.js';
import { importKeypairs, importServers } from './import-servers.js';
import { importLeases } from './leases/import-leases.js';
import { mergeInChunks } from './merge-in-chunks.js';
import { finishDeletions } from './node-belongings.js';
import { occupy } from './vif-attachments.js';

export const SECTIONS = [
  'chassis',
  'nodes',
  'portgroups',
  'ports',
  'volume_connectors',
  'volume_targets',
  'deploy_templates',
  'allocations',
  'leases',
  'handovers',
  'servers',
  'keypairs',
  'claims',
  'node_documents',
  'node_history',
  'quotas',
] as const;
export type Section = (typeof SECTIONS)[number];
export type InventoryDocument = Readonly<Partial<Record<Section, readonly Row[]>>>;

export interface ImportDependencies {
  readonly stores: Stores;
  readonly now: () => Date;
}

const replacing = <R extends StoredRecord>(
  existing: R | undefined,
  incoming: R,
  epoch: number,
): R => ({
  ...incoming,
  revision: existing === undefined ? epoch : existing.revision + 1,
});

const withMoments = (row: ImportedRow, now: Date) => ({
  ...row,
  created_at: row['created_at'] ?? timestampOf(now),
  updated_at: row['updated_at'] ?? null,
  revision: 0,
});

const ALLOCATION_DEFAULTS = {
  name: null,
  owner: null,
  resource_class: null,
  traits: [],
  candidate_nodes: [],
  extra: {},
  state: 'active',
  node_uuid: null,
  last_error: null,
  candidate_filter: { mode: 'none', predicates: [] },
} as const;

/** A handover that is complete stays so, whatever an older export says. */
const grownHandover = (
  existing: StoredHandover | undefined,
  incoming: StoredHandover,
  epoch: number,
): StoredHandover =>
  existing?.status === 'complete' && incoming.status !== 'complete'
    ? { ...existing, revision: existing.revision + 1 }
    : replacing(existing, incoming, epoch);

const HISTORY_DEFAULTS = { event_type: null, conductor: null, user: null } as const;

type Importer = (deps: ImportDependencies, rows: readonly Row[]) => Promise<void>;

/** How the rows of each section are kept. */
const IMPORTERS: Readonly<Record<Exclude<Section, ResourceSection>, Importer>> = {
  nodes: importNodes,
  allocations: importAllocations,
  leases: importLeases,
  handovers: async ({ stores }, rows) => {
    const records = rows.map(
      (row, index) =>
        ({ ...importedRow('handovers', row, index), revision: 0 }) as unknown as StoredHandover, // every member was checked
    );
    const target = { store: stores.handovers, unique: [], combine: grownHandover };
    await mergeInChunks('handovers', target, records);
  },
  servers: ({ stores }, rows) => importServers(stores, rows),
  keypairs: ({ stores }, rows) => importKeypairs(stores, rows),
  claims: async ({ stores }, rows) => {
    const records = rows.map(
      (row, index) =>
        ({
          place: null,
          ...importedRow('claims', row, index),
          revision: 0,
        }) as unknown as ClaimRecord, // every member was checked
    );
    await mergeInChunks(
      'claims',
      { store: stores.claims, unique: [], combine: replacing },
      records,
    );
  },
  node_documents: async ({ stores, now }, rows) => {
    const moment = now();
    const records = rows.map(
      (row, index) =>
        withMoments(importedRow('node_documents', row, index), moment) as NodeDocument, // every member was checked
    );
    const target = { store: stores.nodeDocuments, unique: [], combine: replacing<NodeDocument> };
    await mergeInChunks('node_documents', target, records);
  },
  node_history: async ({ stores }, rows) => {
    const records = rows.map(
      (row, index) =>
        ({
          ...HISTORY_DEFAULTS,
          ...importedRow('node_history', row, index),
          revision: 0,
        }) as unknown as HistoryEntry, // every member was checked or is a default
    );
    const target = { store: stores.nodeHistory, unique: [], combine: replacing<HistoryEntry> };
    await mergeInChunks('node_history', target, records);
  },
  quotas: async ({ stores }, rows) => {
    const records = rows.map(
      (row, index) =>
        ({ ...importedRow('quotas', row, index), revision: 0 }) as unknown as QuotaRecord, // every member was checked
    );
    const target = { store: stores.quotas, unique: [], combine: replacing<QuotaRecord> };
    await mergeInChunks('quotas', target, records);
  },
};

/**
 * Loads a batch of an inventory document: uuids are kept, records with the same uuid replaced; safe to repeat during
 * other calls. An invalid row refuses its section and those after it as a whole.
 * @returns how many rows of each section were written
 * @throws BadRequestError naming row and field; ConflictError `duplicate`
 */
export async function importDocument(
  deps: ImportDependencies,
  document: InventoryDocument,
): Promise<Readonly<Record<string, number>>> {
  const imported: Record<string, number> = {};
  for (const section of SECTIONS) {
    const rows = document[section];
    if (rows === undefined) continue;
    const uuids = new Set(rows.map(({ uuid }) => uuidIn(uuid) ?? String(uuid)));
    if (uuids.size !== rows.length)
      throw new BadRequestError(`${section}: a uuid is missing, or is given twice in one batch.`);
    await importSection(deps, section, rows);
    imported[section] = rows.length;
  }
  return imported;
}

async function importNodes(
  { stores, now }: ImportDependencies,
  rows: readonly Row[],
): Promise<void> {
  const moment = now();
  const records = rows.map((row, index) => importedNode(row, index, moment));
  // Remains of an interrupted deletion must not fall to imported nodes with the same uuids.
  await finishDeletions(stores);
  const { unique } = NODE_SHAPE;
  await mergeInChunks('nodes', { store: stores.nodes, unique, combine: importedVersion }, records);
}

async function importAllocations(deps: ImportDependencies, rows: readonly Row[]): Promise<void> {
  const moment = deps.now();
  const records = rows.map(
    (row, index) =>
      ({
        ...ALLOCATION_DEFAULTS,
        ...withMoments(importedRow('allocations', row, index), moment),
        tenancy_revision: 0,
      }) as unknown as StoredAllocation, // every member was checked by importedRow or is a default
  );
  const store = deps.stores.allocations;
  const { unique } = ALLOCATION_SHAPE;
  await mergeInChunks('allocations', { store, unique, combine: grownAllocation }, records);
  for (const record of records) await bindNode(deps, record);
}

function grownAllocation(
  existing: StoredAllocation | undefined,
  incoming: StoredAllocation,
  epoch: number,
): StoredAllocation {
  if (existing === undefined) return { ...incoming, revision: epoch, tenancy_revision: epoch };
  const moved = existing.owner !== incoming.owner ? 1 : 0;
  return {
    ...incoming,
    revision: existing.revision + 1,
    tenancy_revision: existing.tenancy_revision + moved,
  };
}

/**
 * Makes both sides of an imported allocation agree: binds the node that it names, unless the node has an allocation
 * already.
 */
async function bindNode(
  { stores, now }: ImportDependencies,
  allocation: StoredAllocation,
): Promise<void> {
  const { node_uuid: nodeUuid, uuid } = allocation;
  if (nodeUuid === null || (await stores.nodes.findBy('uuid', nodeUuid)) === undefined) return;
  const holder = await stores.nodes.findBy('allocation_uuid', uuid);
  if (holder !== undefined && holder.uuid !== nodeUuid)
    await changeNode({
      nodes: stores.nodes,
      now,
      uuid: holder.uuid,
      ident: holder.uuid,
      change: (node) => (node.allocation_uuid === uuid ? released(node) : undefined),
    });
  await changeNode({
    nodes: stores.nodes,
    now,
    uuid: nodeUuid,
    ident: nodeUuid,
    change: (node) =>
      node.allocation_uuid === null && (node.instance_uuid === null || node.instance_uuid === uuid)
        ? { ...node, allocation_uuid: uuid, instance_uuid: uuid }
        : undefined,
  });
}

const importSection = (
  deps: ImportDependencies,
  section: Section,
  rows: readonly Row[],
): Promise<void> =>
  isResource(section)
    ? importResources(deps, KINDS[section], rows)
    : IMPORTERS[section](deps, rows);

const isResource = (section: Section): section is ResourceSection => Object.hasOwn(KINDS, section);

async function importResources(
  { stores, now }: ImportDependencies,
  kind: ResourceKind,
  rows: readonly Row[],
): Promise<void> {
  const moment = now();
  const records = rows.map(
    (row, index) =>
      ({ ...importedResource(kind, row, index, moment), revision: 0 }) as ResourceRecord, // checked by its catalogue
  );
  const { unique } = resourceShape(kind.section);
  const store = stores.resources[kind.section];
  // A claim that a crash left behind must not become a claim of an imported record.
  for (const record of records) await forgetStale(stores, kind.section, record);
  await mergeInChunks(kind.section, { store, unique, combine: replacing }, records);
  if (kind.section === 'ports' || kind.section === 'portgroups')
    await noteVifs(stores, kind.section, records);
  else for (const record of records) await noteImported(stores, kind.section, record);
}

async function forgetStale(
  stores: Stores,
  section: ResourceSection,
  record: ResourceRecord,
): Promise<void> {
  const resource = externalResourceIn(section, record);
  if (resource !== undefined) await releaseUnused({ stores }, resource);
}

/** Attaches the VIFs of a document; if two ports or portgroups name one VIF, the first gets it. */
async function noteVifs(
  stores: Stores,
  section: VifPlace['section'],
  records: readonly ResourceRecord[],
): Promise<void> {
  for (const { uuid, ...record } of records) {
    const vif = attachedVifOf(record.internal_info);
    if (vif === null) continue;
    try {
      await occupy({ stores }, { vif, projectId: null }, { section, uuid });
      await recordProject({ stores }, externalResource('vif', vif));
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
    }
  }
}

async function noteImported(
  stores: Stores,
  section: ResourceSection,
  record: ResourceRecord,
): Promise<void> {
  const resource = externalResourceIn(section, record);
  if (resource !== undefined) await recordProject({ stores }, resource);
}
