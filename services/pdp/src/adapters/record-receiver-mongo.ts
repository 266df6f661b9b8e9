import { type MongodbAddress } from '@tenure/process';
import { MongoBulkWriteError, MongoClient } from 'mongodb';
import { type RecordReceiver } from '../ports/record-receiver.js';

export interface MongoReceiverOptions {
  readonly address: MongodbAddress;
  readonly database: string;
  /** Milliseconds for one operation. */
  readonly deadlineMs: number;
}

const COLLECTION = 'decisions';
const DUPLICATE = 11_000;

/** One index for each field of a search, the newest records first. */
export const DECISION_INDEXES: readonly { readonly key: Readonly<Record<string, 1 | -1>> }[] = [
  ...['input.subject.user_id', 'input.subject.project_id', 'input.resource.id', 'input.action'].map(
    (field) => ({ key: { [field]: 1, timestamp: -1 } as const }),
  ),
  { key: { timestamp: -1 } },
];

/** The collection `decisions` of a MongoDB database, for search: a document a record, with the decision id as its own. */
export function createMongoReceiver({
  address,
  database,
  deadlineMs,
}: MongoReceiverOptions): RecordReceiver {
  const client = new MongoClient(address.uri, {
    appName: 'tenure-pdp',
    ignoreUndefined: true,
    serverSelectionTimeoutMS: deadlineMs,
    connectTimeoutMS: deadlineMs,
    socketTimeoutMS: deadlineMs,
    waitQueueTimeoutMS: deadlineMs,
    maxPoolSize: 2,
    ...address.tls,
  });
  // On the database: a URI may override the options of the client.
  const writeConcern = { w: 'majority', journal: true, wtimeoutMS: deadlineMs } as const;
  const collection = client
    .db(database, { writeConcern })
    .collection<{ readonly _id: string }>(COLLECTION);
  let isIndexed = false;
  return {
    name: 'mongodb',
    send: async (records) => {
      if (!isIndexed) {
        await collection.createIndexes([...DECISION_INDEXES]);
        isIndexed = true;
      }
      try {
        await collection.insertMany(records.map(documentOf), { ordered: false });
      } catch (error) {
        if (!isOnlyDuplicates(error)) throw withoutRecords(error);
      }
    },
    close: () => client.close(),
  };
}

function documentOf(record: Buffer): Readonly<Record<string, unknown>> & { readonly _id: string } {
  const parsed = JSON.parse(record.toString('utf8')) as Readonly<Record<string, unknown>>; // a line that the log writer made
  return { ...parsed, _id: String(parsed['decision_id']) };
}

/** Whether all failed writes are records that the collection already has, from an earlier attempt. */
const isOnlyDuplicates = (error: unknown): boolean =>
  error instanceof MongoBulkWriteError &&
  [error.writeErrors].flat().every(({ code }) => code === DUPLICATE);

/** Removes the records from an error of a bulk write, because errors are logged. */
const withoutRecords = (error: unknown): unknown =>
  error instanceof MongoBulkWriteError
    ? new Error(`${error.name} ${String(error.code)}: ${error.message}`)
    : error;
