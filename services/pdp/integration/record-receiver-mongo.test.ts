import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { createMongoReceiver } from '../src/adapters/record-receiver-mongo.js';

const uri = process.env['TENURE_TEST_MONGODB_URI'];
if (uri === undefined) throw new Error('TENURE_TEST_MONGODB_URI is not set');

const recordOf = (id: string): Buffer =>
  Buffer.from(
    JSON.stringify({
      decision_id: id,
      timestamp: '2026-11-21T06:00:00.000Z',
      input: { subject: { user_id: 'ann' } },
      result: { 'baremetal:node:get': { allow: true } },
    }),
  );

describe('decisions in MongoDB', () => {
  it('keeps a record once, however often it comes, and finds it by its caller', async () => {
    const database = `tenure_${randomUUID().replaceAll('-', '')}`;
    const receiver = createMongoReceiver({ address: { uri, tls: {} }, database, deadlineMs: 5000 });
    await receiver.send([recordOf('1'), recordOf('2')]);
    await receiver.send([recordOf('2'), recordOf('3')]);
    await receiver.close();
    const client = await MongoClient.connect(uri);
    try {
      const found = await client
        .db(database)
        .collection('decisions')
        .find({ 'input.subject.user_id': 'ann' })
        .sort({ _id: 1 })
        .toArray();
      expect(found.map(({ decision_id: id }): unknown => id)).toEqual(['1', '2', '3']);
      expect(found[0]).toMatchObject({ result: { 'baremetal:node:get': { allow: true } } });
    } finally {
      await client.close();
    }
  });

  it('fails when there is no server, within its deadline', async () => {
    const receiver = createMongoReceiver({
      address: { uri: 'mongodb://127.0.0.1:9', tls: {} },
      database: 'tenure',
      deadlineMs: 200,
    });
    await expect(receiver.send([recordOf('1')])).rejects.toThrow(
      /ECONNREFUSED|timed out|selection/iu,
    );
    await receiver.close();
  });
});
