import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { createMongoRecordStore } from '../src/adapters/record-store-mongo.js';
import { defineIndexes } from '../src/adapters/schema-mongo.js';
import { databaseOf } from '../src/adapters/stores-mongo.js';
import { compareHistories } from '../src/testing/histories-contract.js';
import { type HistoryStores } from '../src/testing/histories/run-history.js';
import { HISTORY_SHAPES } from '../src/testing/histories/shapes.js';
import { sqliteHistoryStores } from '../src/testing/histories/sqlite-histories.js';

const uri = process.env['TENURE_TEST_MONGODB_URI'];
if (uri === undefined) throw new Error('TENURE_TEST_MONGODB_URI is not set');
const runs = Number(process.env['TENURE_TEST_HISTORIES'] ?? 150);
const seed = process.env['TENURE_TEST_HISTORIES_SEED'];

let client: MongoClient;
beforeAll(async () => {
  client = await MongoClient.connect(uri, { ignoreUndefined: true });
});
afterAll(() => client.close());

describe('histories of records in MongoDB and SQLite', () => {
  it('get the answers that the model gives, step by step', async () => {
    const database = databaseOf(client, `tenure_${randomUUID().replaceAll('-', '')}`);
    await defineIndexes(database, Object.values(HISTORY_SHAPES));
    const empty = async (): Promise<HistoryStores> => {
      for (const name of ['counters', ...Object.values(HISTORY_SHAPES).map((shape) => shape.name)])
        await database.collection(name).deleteMany({});
      return {
        items: createMongoRecordStore(database, HISTORY_SHAPES.items),
        parents: createMongoRecordStore(database, HISTORY_SHAPES.parents),
      };
    };
    const compared = compareHistories(
      async () => ({ mongodb: await empty(), sqlite: sqliteHistoryStores() }),
      {
        runs,
        ...(seed !== undefined && { seed: Number(seed) }),
      },
    );
    await expect(compared).resolves.toBeUndefined();
  }, 3_600_000);
});
