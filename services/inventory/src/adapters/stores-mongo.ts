import { type NodeRecord } from '@tenure/contracts';
import { type MongodbAddress, type ObserveDependency } from '@tenure/process';
import { type CommandFailedEvent, type CommandSucceededEvent, type Db, MongoClient } from 'mongodb';
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
import { createMongoRecordStore } from './record-store-mongo.js';
import { createMongoSchema } from './schema-mongo.js';

const SELECTION_MS = 5000;
const SOCKET_MS = 8000;

export interface MongoStoreOptions {
  readonly address: MongodbAddress;
  /** Name of the database. */
  readonly database: string;
  /** Milliseconds without an answer after which a command counts as lost; 0: as long as it takes. */
  readonly socketMs?: number;
  /** Told how each command went. */
  readonly observe?: ObserveDependency;
}

const clientOf = ({ address, socketMs = SOCKET_MS, observe }: MongoStoreOptions): MongoClient => {
  const client = new MongoClient(address.uri, {
    appName: 'tenure-inventory',
    serverSelectionTimeoutMS: SELECTION_MS,
    connectTimeoutMS: SELECTION_MS,
    socketTimeoutMS: socketMs,
    waitQueueTimeoutMS: SELECTION_MS,
    // An acknowledged write survives the loss of the primary.
    writeConcern: { w: 'majority', journal: true, wtimeoutMS: SELECTION_MS },
    readConcern: { level: 'majority' },
    maxPoolSize: 50,
    ignoreUndefined: true,
    monitorCommands: observe !== undefined,
    ...address.tls,
  });
  const tell =
    (outcome: string) =>
    ({ duration }: CommandSucceededEvent | CommandFailedEvent): void => {
      observe?.('mongodb', outcome, duration / 1000);
    };
  return client.on('commandSucceeded', tell('ok')).on('commandFailed', tell('failed'));
};

const storesIn = (db: Db): Stores => {
  const resource = (section: ResourceSection) =>
    createMongoRecordStore<ResourceRecord>(db, resourceShape(section));
  return {
    nodes: createMongoRecordStore<NodeRecord>(db, NODE_SHAPE),
    allocations: createMongoRecordStore<StoredAllocation>(db, ALLOCATION_SHAPE),
    leases: createMongoRecordStore<StoredLease>(db, LEASE_SHAPE),
    conductors: createMongoRecordStore<ConductorRecord>(db, CONDUCTOR_SHAPE),
    servers: createMongoRecordStore<StoredServer>(db, SERVER_SHAPE),
    keypairs: createMongoRecordStore<StoredKeypair>(db, KEYPAIR_SHAPE),
    resources: {
      ports: resource('ports'),
      portgroups: resource('portgroups'),
      chassis: resource('chassis'),
      volume_connectors: resource('volume_connectors'),
      volume_targets: resource('volume_targets'),
      deploy_templates: resource('deploy_templates'),
    },
    nodeDocuments: createMongoRecordStore<NodeDocument>(db, NODE_DOCUMENT_SHAPE),
    nodeHistory: createMongoRecordStore<HistoryEntry>(db, NODE_HISTORY_SHAPE),
    claims: createMongoRecordStore<ClaimRecord>(db, CLAIM_SHAPE),
    departures: createMongoRecordStore<DepartureRecord>(db, DEPARTURE_SHAPE),
    ping: async () => {
      await db.command({ ping: 1 });
    },
    close: () => db.client.close(),
  };
};

/**
 * A database in MongoDB. Its indexes are there once it was migrated.
 * @throws MongoError when there is no server, or it refuses
 */
export const openMongoStore = async (options: MongoStoreOptions): Promise<OpenStore> => {
  const client = clientOf(options);
  await client.connect();
  const db = client.db(options.database);
  return { stores: storesIn(db), schema: createMongoSchema(db) };
};
