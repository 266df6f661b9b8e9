import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type NodeRecord } from '@tenure/contracts';
import { type ResourceSection } from '../domain/kinds/resource-kind.js';
import { type OpenStore } from '../ports/open-store.js';
import {
  ALLOCATION_SHAPE,
  CLAIM_SHAPE,
  type ClaimRecord,
  CONDUCTOR_SHAPE,
  type ConductorRecord,
  DEPARTURE_SHAPE,
  type DepartureRecord,
  type HistoryEntry,
  KEYPAIR_SHAPE,
  LEASE_SHAPE,
  NODE_DOCUMENT_SHAPE,
  NODE_HISTORY_SHAPE,
  NODE_SHAPE,
  type NodeDocument,
  type ResourceRecord,
  resourceShape,
  SERVER_SHAPE,
  type StoredAllocation,
  type StoredKeypair,
  type StoredLease,
  type StoredServer,
  type Stores,
} from '../ports/stores.js';
import { createSqliteRecordStore } from './record-store-sqlite.js';
import { createSqliteSchema } from './schema-sqlite.js';

// FULL: what was acknowledged is on disk, also after power loss.
const PRAGMAS = [
  'PRAGMA journal_mode = WAL',
  'PRAGMA synchronous = FULL',
  'PRAGMA busy_timeout = 5000',
  'PRAGMA cache_size = -65536',
  'PRAGMA trusted_schema = OFF',
] as const;

/**
 * Makes the file, or makes sure of it, so that its owner alone can read it: it holds the BMCs' passwords. SQLite gives
 * the files beside it the mode of the file itself.
 */
const keepPrivate = (file: string): void => {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  closeSync(openSync(file, 'a', 0o600));
  for (const one of [file, `${file}-wal`, `${file}-shm`])
    if (existsSync(one)) chmodSync(one, 0o600);
};

const storesIn = (database: DatabaseSync): Stores => {
  const resource = (section: ResourceSection) =>
    createSqliteRecordStore<ResourceRecord>(database, resourceShape(section));
  return {
    nodes: createSqliteRecordStore<NodeRecord>(database, NODE_SHAPE),
    allocations: createSqliteRecordStore<StoredAllocation>(database, ALLOCATION_SHAPE),
    leases: createSqliteRecordStore<StoredLease>(database, LEASE_SHAPE),
    conductors: createSqliteRecordStore<ConductorRecord>(database, CONDUCTOR_SHAPE),
    servers: createSqliteRecordStore<StoredServer>(database, SERVER_SHAPE),
    keypairs: createSqliteRecordStore<StoredKeypair>(database, KEYPAIR_SHAPE),
    resources: {
      ports: resource('ports'),
      portgroups: resource('portgroups'),
      chassis: resource('chassis'),
      volume_connectors: resource('volume_connectors'),
      volume_targets: resource('volume_targets'),
      deploy_templates: resource('deploy_templates'),
    },
    nodeDocuments: createSqliteRecordStore<NodeDocument>(database, NODE_DOCUMENT_SHAPE),
    nodeHistory: createSqliteRecordStore<HistoryEntry>(database, NODE_HISTORY_SHAPE),
    claims: createSqliteRecordStore<ClaimRecord>(database, CLAIM_SHAPE),
    departures: createSqliteRecordStore<DepartureRecord>(database, DEPARTURE_SHAPE),
    ping: async () => {
      database.prepare('SELECT 1').get();
      return Promise.resolve();
    },
    close: async () => {
      database.close();
      return Promise.resolve();
    },
  };
};

const openStoreIn = (database: DatabaseSync): OpenStore => ({
  stores: storesIn(database),
  schema: createSqliteSchema(database),
});

/**
 * The embedded store. Its tables are there once it was migrated.
 * @param file a path, or `:memory:`
 */
export const openSqliteStore = (file: string): OpenStore => {
  if (file !== ':memory:') keepPrivate(file);
  const database = new DatabaseSync(file);
  for (const pragma of PRAGMAS) database.exec(pragma);
  return openStoreIn(database);
};

/**
 * The embedded store as it is, only to be read; nothing is made or changed.
 * @param file a path; where there is none, the store is an empty one
 */
export const viewSqliteStore = (file: string): OpenStore =>
  openStoreIn(
    existsSync(file) ? new DatabaseSync(file, { readOnly: true }) : new DatabaseSync(':memory:'),
  );
