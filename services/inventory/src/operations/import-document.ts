import { setImmediate as breathe } from 'node:timers/promises';
import { BadRequestError, ConflictError } from '@tenure/contracts';
import { released } from '../domain/candidates.js';
import { importedNode, type ImportedRow, importedRow, type Row } from '../domain/import-rows.js';
import { importedVersion, timestampOf } from '../domain/node-record.js';
import { DuplicateValueError, type RecordStore, type StoredRecord } from '../ports/record-store.js';
import {
  ALLOCATION_SHAPE,
  DOCUMENT_SECTIONS,
  type DocumentSection,
  NODE_SHAPE,
  type StoredAllocation,
  type Stores,
} from '../ports/stores.js';
import { changeNode } from './change-node.js';

// Small enough that other requests are answered between two chunks.
const CHUNK = 250;

export const SECTIONS = [
  'chassis',
  'nodes',
  'portgroups',
  'ports',
  'volume_connectors',
  'volume_targets',
  'deploy_templates',
  'allocations',
] as const;
export type Section = (typeof SECTIONS)[number];
export type InventoryDocument = Readonly<Partial<Record<Section, readonly Row[]>>>;

export interface ImportDependencies {
  readonly stores: Stores;
  readonly now: () => Date;
}

type Combine<R> = (existing: R | undefined, incoming: R, epoch: number) => R;

interface Target<R extends StoredRecord> {
  readonly store: RecordStore<R>;
  readonly unique: readonly string[];
  readonly combine: Combine<R>;
}

/** The chunk, and every record of the batch that now has a unique value which one of them is to get. */
const withHolders = async <R extends StoredRecord>(
  { store, unique }: Target<R>,
  chunk: readonly R[],
  batch: ReadonlyMap<string, R>,
): Promise<readonly R[]> => {
  const together = new Map(chunk.map((record) => [record.uuid, record]));
  // A map's iterator also visits what is added on the way.
  for (const record of together.values())
    for (const field of unique) {
      const value = record[field];
      const holder = typeof value === 'string' ? await store.findBy(field, value) : undefined;
      const incoming = holder === undefined ? undefined : batch.get(holder.uuid);
      if (incoming !== undefined) together.set(incoming.uuid, incoming);
    }
  return [...together.values()];
};

const mergeChunk = async <R extends StoredRecord>(
  target: Target<R>,
  chunk: readonly R[],
  batch: ReadonlyMap<string, R>,
): Promise<void> => {
  try {
    await target.store.merge(chunk, target.combine);
  } catch (error) {
    if (!(error instanceof DuplicateValueError)) throw error;
    // Perhaps the value is free once a later chunk is written: then both have to be written at once.
    const together = await withHolders(target, chunk, batch);
    if (together.length === chunk.length) throw error;
    await target.store.merge(together, target.combine);
  }
};

const mergeInChunks = async <R extends StoredRecord>(
  section: Section,
  target: Target<R>,
  records: readonly R[],
): Promise<void> => {
  const batch = new Map(records.map((record) => [record.uuid, record]));
  for (let start = 0; start < records.length; start += CHUNK) {
    try {
      await mergeChunk(target, records.slice(start, start + CHUNK), batch);
    } catch (error) {
      if (!(error instanceof DuplicateValueError)) throw error;
      throw new ConflictError(
        'duplicate',
        `${section}: another record has the same ${error.field} as one of rows ${String(start)} to ${String(Math.min(start + CHUNK, records.length) - 1)}.`,
        { cause: error },
      );
    }
    await breathe();
  }
};

const plain = (row: ImportedRow, now: Date): StoredRecord => ({
  ...row,
  created_at: row['created_at'] ?? timestampOf(now),
  updated_at: row['updated_at'] ?? null,
  revision: 0,
});

const grown = (
  existing: StoredRecord | undefined,
  incoming: StoredRecord,
  epoch: number,
): StoredRecord => ({
  ...incoming,
  revision: existing === undefined ? epoch : existing.revision + 1,
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

const grownAllocation = (
  existing: StoredAllocation | undefined,
  incoming: StoredAllocation,
  epoch: number,
): StoredAllocation => {
  if (existing === undefined) return { ...incoming, revision: epoch, tenancy_revision: epoch };
  const moved = existing.owner !== incoming.owner ? 1 : 0;
  return {
    ...incoming,
    revision: existing.revision + 1,
    tenancy_revision: existing.tenancy_revision + moved,
  };
};

/** Makes both sides of an imported allocation agree: the node it names is held by it, unless it is held already. */
const bindNode = async (
  { stores, now }: ImportDependencies,
  allocation: StoredAllocation,
): Promise<void> => {
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
};

const importNodes = async (
  { stores, now }: ImportDependencies,
  rows: readonly Row[],
): Promise<void> => {
  const moment = now();
  const records = rows.map((row, index) => importedNode(row, index, moment));
  const { unique } = NODE_SHAPE;
  await mergeInChunks('nodes', { store: stores.nodes, unique, combine: importedVersion }, records);
};

const importAllocations = async (deps: ImportDependencies, rows: readonly Row[]): Promise<void> => {
  const moment = deps.now();
  const records = rows.map(
    (row, index) =>
      ({
        ...ALLOCATION_DEFAULTS,
        ...plain(importedRow('allocations', row, index), moment),
        tenancy_revision: 0,
      }) as unknown as StoredAllocation, // every member was checked by importedRow or is a default
  );
  const store = deps.stores.allocations;
  const { unique } = ALLOCATION_SHAPE;
  await mergeInChunks('allocations', { store, unique, combine: grownAllocation }, records);
  for (const record of records) await bindNode(deps, record);
};

const isDocument = (section: Section): section is DocumentSection =>
  (DOCUMENT_SECTIONS as readonly string[]).includes(section);

const importSection = async (
  deps: ImportDependencies,
  section: Section,
  rows: readonly Row[],
): Promise<void> => {
  if (section === 'nodes') await importNodes(deps, rows);
  else if (section === 'allocations') await importAllocations(deps, rows);
  else if (isDocument(section)) {
    const moment = deps.now();
    await mergeInChunks(
      section,
      { store: deps.stores.documents[section], unique: [], combine: grown },
      rows.map((row, index) => plain(importedRow(section, row, index), moment)),
    );
  }
};

/**
 * Loads a batch of an inventory document: uuids kept, what has the same uuid replaced, safe to repeat while others work.
 * A batch whose rows are not all valid changes nothing of the section that is at fault, nor of those after it.
 * @returns how many rows of each section were written
 * @throws BadRequestError naming row and field; ConflictError `duplicate`
 */
export const importDocument = async (
  deps: ImportDependencies,
  document: InventoryDocument,
): Promise<Readonly<Record<string, number>>> => {
  const imported: Record<string, number> = {};
  for (const section of SECTIONS) {
    const rows = document[section];
    if (rows === undefined) continue;
    const uuids = new Set(rows.map((row) => String(row['uuid']).toLowerCase()));
    if (uuids.size !== rows.length)
      throw new BadRequestError(`${section}: a uuid is missing, or is given twice in one batch.`);
    await importSection(deps, section, rows);
    imported[section] = rows.length;
  }
  return imported;
};
