import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Collection, MongoClient } from 'mongodb';
import { type MongoStandIn, startMongo } from '../support/mongo-stand-in.js';

// The MongoDB stand-in does with the driver what the inventory's adapter relies on. It checks calls, not speed.

interface Document {
  uuid: string;
  revision: number;
  owner: string | null;
  holder?: number;
}

let server: MongoStandIn;
let client: MongoClient;
let nodes: Collection<Document>;

beforeAll(async () => {
  server = await startMongo();
  client = await MongoClient.connect(`mongodb://${server.address}/?retryWrites=false`, {
    serverSelectionTimeoutMS: 5000,
  });
  nodes = client.db('contract').collection('nodes');
  await nodes.createIndexes([{ key: { uuid: 1 }, unique: true }]);
});

afterAll(async () => {
  await client.close();
  server.stop();
});

describe('the MongoDB stand-in', () => {
  it('lets one of fifty compare-and-sets win', async () => {
    await nodes.insertOne({ uuid: 'a', revision: 1, owner: null });
    const tried = await Promise.all(
      Array.from({ length: 50 }, (_, holder) =>
        nodes.findOneAndUpdate(
          { uuid: 'a', revision: 1 },
          { $set: { holder }, $inc: { revision: 1 } },
          { returnDocument: 'after' },
        ),
      ),
    );
    const winners = tried.filter((document) => document !== null);
    expect(winners).toHaveLength(1);
    expect(await nodes.findOne({ uuid: 'a' })).toMatchObject({
      revision: 2,
      holder: winners[0]?.holder,
    });
  });

  it('refuses a second document with the same unique key', async () => {
    await nodes.insertOne({ uuid: 'b', revision: 1, owner: 'p' });
    await expect(nodes.insertOne({ uuid: 'b', revision: 1, owner: 'q' })).rejects.toMatchObject({
      code: 11_000,
    });
  });

  it('finds by either of two fields, sorted and limited', async () => {
    await nodes.insertMany([
      { uuid: 'd', revision: 1, owner: 'z' },
      { uuid: 'c', revision: 1, owner: 'z' },
      { uuid: 'e', revision: 1, owner: 'y' },
    ]);
    const found = await nodes
      .find({ $or: [{ owner: 'z' }, { owner: 'y' }], uuid: { $gt: 'c' } })
      .sort({ uuid: 1 })
      .limit(1)
      .toArray();
    expect(found.map(({ uuid }) => uuid)).toEqual(['d']);
  });
});
