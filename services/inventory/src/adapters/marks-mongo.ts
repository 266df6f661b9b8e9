import { randomUUID } from 'node:crypto';
import { type Db } from 'mongodb';
import { type StoreMark } from '../domain/registered-stores.js';
import { type StoreMarks } from '../ports/store-marks.js';
import { SCHEMA_COLLECTION } from './schema-mongo.js';
import { translatedMongo } from './unavailable-mongo.js';

const ID = 'mark';
/** Well below the 10 s within which a caller gets an answer. */
const DEADLINE_MS = 4500;

interface MarkDocument {
  readonly _id: typeof ID;
  readonly identity: string;
  readonly marker: number;
}

/** The mark of a MongoDB database: a document of its own beside the version of the data. */
export function createMongoMarks(database: Db): StoreMarks {
  const documents = database.collection<MarkDocument>(SCHEMA_COLLECTION);
  return {
    read: async () => markIn(await translating(documents.findOne({ _id: ID }))),
    advance: async (by) => {
      const after = await translating(
        documents.findOneAndUpdate(
          { _id: ID },
          { $inc: { marker: by }, $setOnInsert: { identity: randomUUID() } },
          { upsert: true, returnDocument: 'after', maxTimeMS: DEADLINE_MS },
        ),
      );
      const mark = markIn(after);
      if (mark === undefined) throw new Error('the store gave no mark back');
      return mark;
    },
  };
}

const markIn = (document: MarkDocument | null): StoreMark | undefined =>
  document === null ? undefined : { identity: document.identity, marker: document.marker };

async function translating<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw translatedMongo(error);
  }
}
