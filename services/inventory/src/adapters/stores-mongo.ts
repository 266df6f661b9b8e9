import { type NodeRecord } from '@tenure/contracts';
import { MongoClient } from 'mongodb';
import { type StoredRecord } from '../ports/record-store.js';
import {
  ALLOCATION_SHAPE,
  CONDUCTOR_SHAPE,
  type ConductorRecord,
  type DocumentSection,
  documentShape,
  NODE_SHAPE,
  type StoredAllocation,
  type Stores,
} from '../ports/stores.js';
import { createMongoRecordStore } from './record-store-mongo.js';

const SELECTION_MS = 5000;
const SOCKET_MS = 8000;

/**
 * The stores in MongoDB; indexes are made if they are missing.
 * @param database name of the database
 */
export const openMongoStores = async (uri: string, database: string): Promise<Stores> => {
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
  });
  await client.connect();
  const db = client.db(database);
  const document = (section: DocumentSection) =>
    createMongoRecordStore<StoredRecord>(db, documentShape(section));
  return {
    nodes: await createMongoRecordStore<NodeRecord>(db, NODE_SHAPE),
    allocations: await createMongoRecordStore<StoredAllocation>(db, ALLOCATION_SHAPE),
    conductors: await createMongoRecordStore<ConductorRecord>(db, CONDUCTOR_SHAPE),
    documents: {
      ports: await document('ports'),
      portgroups: await document('portgroups'),
      chassis: await document('chassis'),
      volume_connectors: await document('volume_connectors'),
      volume_targets: await document('volume_targets'),
      deploy_templates: await document('deploy_templates'),
    },
    ping: async () => {
      await db.command({ ping: 1 });
    },
    close: () => client.close(),
  };
};
