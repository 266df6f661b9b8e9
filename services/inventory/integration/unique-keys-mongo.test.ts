import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { type MongoDocument } from '../src/adapters/query-mongo.js';
import { vacateKeys } from '../src/adapters/unique-keys-mongo.js';
import { shapeOf } from '../src/ports/shapes.js';
import { uuidOf } from '../src/testing/fixtures.js';

const uri = process.env['TENURE_TEST_MONGODB_URI'];
if (uri === undefined) throw new Error('TENURE_TEST_MONGODB_URI is not set');

const SHAPE = shapeOf('items', { indexed: ['name'], unique: ['name'] });

const named = (number: number, name: string): MongoDocument => ({
  _id: uuidOf(number),
  seq: number,
  revision: 1,
  nested: '{}',
  name,
  unique_name: `=${name}`,
});

let client: MongoClient;
beforeEach(async () => {
  client = await MongoClient.connect(uri);
});
afterEach(() => client.close());

describe('keys that change hands in MongoDB', () => {
  it('are free between the two phases, while names stay, and come back where nothing was written', async () => {
    const records = client
      .db(`tenure_${randomUUID().replaceAll('-', '')}`)
      .collection<MongoDocument>('items');
    const found = [named(1, 'a'), named(2, 'b'), named(3, 'c')];
    await records.insertMany([...found]);
    const keys = async () =>
      (await records.find().sort({ seq: 1 }).toArray()).map((row) => [
        row['name'],
        row['unique_name'],
      ]);
    const undo = await vacateKeys(records, SHAPE, found, [
      named(1, 'b'),
      named(2, 'a'),
      named(3, 'c'),
    ]);
    expect(await keys()).toEqual([
      ['a', `!${uuidOf(1)}`],
      ['b', `!${uuidOf(2)}`],
      ['c', '=c'],
    ]);
    await records.updateOne({ _id: uuidOf(2) }, { $set: { revision: 2, unique_name: '=z' } });
    await undo();
    expect(await keys()).toEqual([
      ['a', '=a'],
      ['b', '=z'],
      ['c', '=c'],
    ]);
  });
});
