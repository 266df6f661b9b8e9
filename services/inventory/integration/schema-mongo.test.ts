import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { openMongoStore } from '../src/adapters/stores-mongo.js';
import { migrated } from '../src/testing/empty-stores.js';
import { readsWhatWas } from '../src/testing/previous-release-contract.js';
import { mongoLines } from '../src/testing/previous-release.js';
import { schemaStoreContract } from '../src/testing/schema-store-contract.js';
import { storeMarksContract } from '../src/testing/store-marks-contract.js';

const uri = process.env['TENURE_TEST_MONGODB_URI'];
if (uri === undefined) throw new Error('TENURE_TEST_MONGODB_URI is not set');

const freshName = (): string => `tenure_${randomUUID().replaceAll('-', '')}`;
const open = (database: string) => openMongoStore({ address: { uri, tls: {} }, database });

let current = '';

describe('the form of a MongoDB database', () => {
  schemaStoreContract(
    () => open((current = freshName())),
    () => open(current),
  );
});

describe('the mark of a MongoDB database', () => {
  storeMarksContract(
    () => open((current = freshName())),
    () => open(current),
  );
});

let client: MongoClient;
beforeAll(async () => {
  client = await MongoClient.connect(uri);
});
afterAll(() => client.close());

/** Makes a database as the release before has left it. */
async function restored(): Promise<string> {
  const name = freshName();
  const database = client.db(name);
  for (const { collection, index, unique = false, document } of mongoLines()) {
    const records = database.collection<{ readonly _id: string }>(collection);
    if (index !== undefined) await records.createIndexes([{ key: index, unique }]);
    if (document !== undefined) await records.insertOne(document);
  }
  return name;
}

async function contentOf(name: string): Promise<unknown> {
  const database = client.db(name);
  const names = (await database.listCollections().toArray()).map((one) => one.name).sort();
  return Promise.all(
    names.map(async (collection) => [
      collection,
      (await database.collection(collection).indexes())
        .map(({ key, unique = false }) => JSON.stringify([key, unique]))
        .sort(),
      await database.collection(collection).find().sort({ _id: 1 }).toArray(),
    ]),
  );
}

async function migrate(name: string): Promise<void> {
  const { schema, stores } = await open(name);
  await migrated(schema);
  await stores.close();
}

describe('a MongoDB database of the release before', () => {
  readsWhatWas('mongodb', async () => {
    const store = await open(await restored());
    await migrated(store.schema);
    return store;
  });

  it('is of version 1, whose release recorded none, and gets to this one', async () => {
    const { schema, stores } = await open(await restored());
    expect(await schema.read()).toBeUndefined();
    expect(await migrated(schema)).toEqual([2, 3, 4]);
    await stores.close();
  });

  it('has the indexes of this one after it was migrated, and loses those without use', async () => {
    const name = await restored();
    const keysOf = async (collection: string) =>
      (await client.db(name).collection(collection).indexes()).map(({ key }) =>
        Object.keys(key).join(),
      );
    expect(await keysOf('claims')).toEqual(['_id', 'seq', 'project_id,seq']);
    await migrate(name);
    expect(await keysOf('claims')).toEqual(['_id', 'seq']);
    expect(await keysOf('servers')).toContain('project_id,created_at,seq');
    expect((await keysOf('keypairs')).sort()).toEqual([
      '_id',
      'seq',
      'unique_user_id_name',
      'user_id,name,seq',
    ]);
  });

  it('is the same after the second time, and after one that was cut off before it was recorded', async () => {
    const once = await restored();
    await migrate(once);
    const expected = await contentOf(once);
    await migrate(once);
    expect(await contentOf(once)).toEqual(expected);
    const cut = await restored();
    const { schema, stores } = await open(cut);
    await schema.lock({ holder: 'dead', until: 1 }, 0);
    await schema.apply(2);
    await stores.close();
    await migrate(cut);
    expect(await contentOf(cut)).toEqual(expected);
  });
});
