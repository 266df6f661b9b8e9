import { inTime, type MongodbAddress, type ObserveDependency } from '@tenure/process';
import {
  type CommandFailedEvent,
  type CommandSucceededEvent,
  type Db,
  MongoClient,
  ReadConcern,
} from 'mongodb';
import { type OpenStore } from '../ports/open-store.js';
import { type Stores } from '../ports/stores.js';
import { createMongoMarks } from './marks-mongo.js';
import { createMongoRecordStore } from './record-store-mongo.js';
import { createMongoSchema } from './schema-mongo.js';
import { storesOf } from './stores-of.js';
import { noReply, translatedMongo } from './unavailable-mongo.js';

const SELECTION_MS = 5000;
const SOCKET_MS = 8000;
const CLOCK_MS = 4500;

export interface MongoStoreOptions {
  readonly address: MongodbAddress;
  /** Name of the database. */
  readonly database: string;
  /** Milliseconds without an answer after which a command counts as lost; 0: as long as it takes. */
  readonly socketMs?: number;
  /** Called with the outcome and duration of each command. */
  readonly observe?: ObserveDependency;
}

/**
 * The database with the concerns that the inventory relies on, whatever the URI sets: an acknowledged write survives
 * the loss of the primary, and reads return majority-committed data of the primary.
 */
export const databaseOf = (client: MongoClient, name: string): Db =>
  client.db(name, {
    writeConcern: { w: 'majority', journal: true, wtimeoutMS: SELECTION_MS },
    readConcern: new ReadConcern('majority'),
    readPreference: 'primary',
  });

/**
 * A database in MongoDB. Its indexes are there once it was migrated.
 * @throws MongoError when there is no server, or it refuses
 */
export async function openMongoStore(options: MongoStoreOptions): Promise<OpenStore> {
  const client = clientOf(options);
  await client.connect();
  const db = databaseOf(client, options.database);
  return {
    stores: storesIn(db),
    schema: createMongoSchema(db),
    marks: createMongoMarks(db),
    inspect: () => Promise.resolve(undefined),
  };
}

function clientOf({ address, socketMs = SOCKET_MS, observe }: MongoStoreOptions): MongoClient {
  const client = new MongoClient(address.uri, {
    appName: 'tenure-inventory',
    serverSelectionTimeoutMS: SELECTION_MS,
    connectTimeoutMS: SELECTION_MS,
    socketTimeoutMS: socketMs,
    waitQueueTimeoutMS: SELECTION_MS,
    maxPoolSize: 50,
    ignoreUndefined: true,
    monitorCommands: observe !== undefined,
    ...address.tls,
  });
  const reportPool =
    (outcome: string) =>
    ({ duration }: CommandSucceededEvent | CommandFailedEvent): void => {
      observe?.('mongodb', outcome, duration / 1000);
    };
  return client.on('commandSucceeded', reportPool('ok')).on('commandFailed', reportPool('failed'));
}

const storesIn = (db: Db): Stores => ({
  ...storesOf((shape) => createMongoRecordStore(db, shape)),
  clock: async () => {
    const { localTime } = await inTime(CLOCK_MS, db.command({ hello: 1 }), () => {
      throw noReply();
    }).catch((error: unknown) => {
      throw translatedMongo(error);
    });
    if (!(localTime instanceof Date)) throw new Error('hello was answered without a time');
    return localTime;
  },
  ping: async () => {
    await db.command({ ping: 1 });
  },
  close: () => db.client.close(),
});
