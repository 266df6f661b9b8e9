import { type Collection, type Db, MongoServerError } from 'mongodb';
import { EPOCH_NUMBERS } from '../domain/epochs.js';
import { type MigrationVersion } from '../domain/schema.js';
import { type RecordShape } from '../ports/record-store.js';
import { type SchemaStore } from '../ports/schema-store.js';
import { ALL_SHAPES } from '../ports/shapes.js';
import { indexesOf } from './indexes-mongo.js';
import { type Counter, COUNTERS } from './table-mongo.js';

const DUPLICATE_KEY = 11_000;
const NAMESPACE_NOT_FOUND = 26;
const INDEX_NOT_FOUND = 27;
/** The collection with the store's version and its migration lock, and its one document. */
export const SCHEMA_COLLECTION = 'store_schema';
const ID = 'schema';

interface SchemaDocument {
  readonly _id: typeof ID;
  readonly version?: number;
  readonly compatible_from?: number;
  readonly holder: string | null;
  readonly until: number | null;
}

const hasCode = (error: unknown, ...codes: readonly number[]): boolean =>
  error instanceof MongoServerError && codes.some((code) => error.code === code);

const nameOf = (fields: readonly string[]): string => fields.map((field) => `${field}_1`).join('_');

const UNUSED_SINCE_2 = [
  ['claims', 'project_id'],
  ['keypairs', 'user_id'],
  ['keypairs', 'name'],
  ['nodes', 'power_state'],
  ['volume_connectors', 'type'],
  ['volume_connectors', 'connector_id'],
  ['volume_targets', 'boot_index'],
] as const;

/** Steps of a migration before it makes missing collections and indexes. */
const EXTRA_STEPS: Readonly<Partial<Record<MigrationVersion, (database: Db) => Promise<void>>>> = {
  2: async (database) => {
    for (const [collection, field] of UNUSED_SINCE_2)
      await dropIndex(database, collection, [field, 'seq']);
  },
};

/** Creates the missing indexes of these shapes; the server leaves existing ones unchanged. */
export async function defineIndexes(database: Db, shapes: readonly RecordShape[]): Promise<void> {
  for (const shape of shapes)
    await database.collection(shape.name).createIndexes(
      indexesOf(shape).map(({ fields, unique }) => ({
        key: keyOf(fields),
        ...(unique && { unique }),
      })),
    );
}

/** The version of a MongoDB database: one document, changed by compare-and-set. */
export function createMongoSchema(database: Db): SchemaStore {
  const documents = database.collection<SchemaDocument>(SCHEMA_COLLECTION);
  return {
    read: async () => {
      const { version, compatible_from: compatibleFrom } =
        (await documents.findOne({ _id: ID })) ?? {};
      if (version === undefined) return undefined;
      return { version, compatibleFrom: compatibleFrom ?? version };
    },
    hasData: async () => {
      for (const { name } of ALL_SHAPES)
        if ((await database.collection(name).findOne({}, { projection: { _id: 1 } })) !== null)
          return true;
      return false;
    },
    lock: lockFor(documents),
    unlock: async (holder) => {
      await documents.updateOne({ _id: ID, holder }, { $set: { holder: null, until: null } });
    },
    apply: async (version) => {
      await EXTRA_STEPS[version]?.(database);
      await defineAll(database);
    },
    record: async (holder, { version, compatibleFrom }) => {
      const { matchedCount } = await documents.updateOne(
        { _id: ID, holder },
        { $set: { version, compatible_from: compatibleFrom } },
      );
      return matchedCount === 1;
    },
    raiseNumbers: (by) => raiseNumbers(database, by),
  };
}

async function dropIndex(
  database: Db,
  collection: string,
  fields: readonly string[],
): Promise<void> {
  try {
    await database.collection(collection).dropIndex(nameOf(fields));
  } catch (error) {
    if (!hasCode(error, INDEX_NOT_FOUND, NAMESPACE_NOT_FOUND)) throw error;
  }
}

const keyOf = (fields: readonly string[]): Record<string, 1> =>
  Object.fromEntries(fields.map((field) => [field, 1 as const]));

const lockFor =
  (documents: Collection<SchemaDocument>): SchemaStore['lock'] =>
  async ({ holder, until }, now) => {
    const isFree = [{ holder: null }, { holder }, { until: { $lte: now } }];
    try {
      await documents.updateOne(
        { _id: ID, $or: isFree },
        { $set: { holder, until } },
        { upsert: true },
      );
      return true;
    } catch (error) {
      // Another's: the filter found nothing, and the document to be made is there.
      if (hasCode(error, DUPLICATE_KEY)) return false;
      throw error;
    }
  };

const defineAll = (database: Db): Promise<void> => defineIndexes(database, ALL_SHAPES);

async function raiseNumbers(database: Db, by: number): Promise<void> {
  const counters = database.collection<Counter>(COUNTERS);
  for (const { name } of ALL_SHAPES) {
    // The minimum epoch first: records that are inserted meanwhile start above it.
    await counters.updateOne({ _id: `${name}.floor` }, { $inc: { value: by } }, { upsert: true });
    for (const number of EPOCH_NUMBERS)
      await database
        .collection(name)
        .updateMany({ [number]: { $exists: true } }, { $inc: { [number]: by } });
  }
}
