import { type NodeRecord } from '@tenure/contracts';
import { type ObserveDependency } from '@tenure/process';
import { type CommandFailedEvent, type CommandSucceededEvent, MongoClient } from 'mongodb';
import { type ResourceSection } from '../domain/kinds/resource-kind.js';
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

const SELECTION_MS = 5000;
const SOCKET_MS = 8000;

/**
 * The stores in MongoDB; indexes are made if they are missing.
 * @param database name of the database
 * @param observe told how each command went
 */
export const openMongoStores = async (
  uri: string,
  database: string,
  observe?: ObserveDependency,
): Promise<Stores> => {
  const client = new MongoClient(uri, {
    appName: 'tenure-inventory',
    serverSelectionTimeoutMS: SELECTION_MS,
    connectTimeoutMS: SELECTION_MS,
    socketTimeoutMS: SOCKET_MS,
    waitQueueTimeoutMS: SELECTION_MS,
    // An acknowledged write survives the loss of the primary.
    writeConcern: { w: 'majority', journal: true, wtimeoutMS: SELECTION_MS },
    readConcern: { level: 'majority' },
    maxPoolSize: 50,
    ignoreUndefined: true,
    monitorCommands: observe !== undefined,
  });
  const tell =
    (outcome: string) =>
    ({ duration }: CommandSucceededEvent | CommandFailedEvent): void => {
      observe?.('mongodb', outcome, duration / 1000);
    };
  client.on('commandSucceeded', tell('ok')).on('commandFailed', tell('failed'));
  await client.connect();
  const db = client.db(database);
  const resource = (section: ResourceSection) =>
    createMongoRecordStore<ResourceRecord>(db, resourceShape(section));
  return {
    nodes: await createMongoRecordStore<NodeRecord>(db, NODE_SHAPE),
    allocations: await createMongoRecordStore<StoredAllocation>(db, ALLOCATION_SHAPE),
    leases: await createMongoRecordStore<StoredLease>(db, LEASE_SHAPE),
    conductors: await createMongoRecordStore<ConductorRecord>(db, CONDUCTOR_SHAPE),
    servers: await createMongoRecordStore<StoredServer>(db, SERVER_SHAPE),
    keypairs: await createMongoRecordStore<StoredKeypair>(db, KEYPAIR_SHAPE),
    resources: {
      ports: await resource('ports'),
      portgroups: await resource('portgroups'),
      chassis: await resource('chassis'),
      volume_connectors: await resource('volume_connectors'),
      volume_targets: await resource('volume_targets'),
      deploy_templates: await resource('deploy_templates'),
    },
    nodeDocuments: await createMongoRecordStore<NodeDocument>(db, NODE_DOCUMENT_SHAPE),
    nodeHistory: await createMongoRecordStore<HistoryEntry>(db, NODE_HISTORY_SHAPE),
    claims: await createMongoRecordStore<ClaimRecord>(db, CLAIM_SHAPE),
    departures: await createMongoRecordStore<DepartureRecord>(db, DEPARTURE_SHAPE),
    ping: async () => {
      await db.command({ ping: 1 });
    },
    close: () => client.close(),
  };
};
