import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type NodeRecord } from '@tenure/contracts';
import { type Db, MongoClient } from 'mongodb';
import { type MongoDocument } from '../src/adapters/query-mongo.js';
import { createMongoRecordStore } from '../src/adapters/record-store-mongo.js';
import { defineIndexes } from '../src/adapters/schema-mongo.js';
import { databaseOf } from '../src/adapters/stores-mongo.js';
import { type RecordStore } from '../src/ports/record-store.js';
import { NODE_SHAPE } from '../src/ports/shapes.js';
import { EVERYTHING, makeNode, uuidOf } from '../src/testing/fixtures.js';
import { type Intercept, interceptedDatabase } from '../src/testing/intercepted-database.js';

const uri = process.env['TENURE_TEST_MONGODB_URI'];
if (uri === undefined) throw new Error('TENURE_TEST_MONGODB_URI is not set');

type Nodes = RecordStore<NodeRecord>;

let client: MongoClient;
let database: Db;
beforeAll(async () => {
  client = await MongoClient.connect(uri, { ignoreUndefined: true });
});
afterAll(() => client.close());
beforeEach(async () => {
  database = databaseOf(client, `tenure_${randomUUID().replaceAll('-', '')}`);
  await defineIndexes(database, [NODE_SHAPE]);
});

const storeOf = (intercept?: Intercept): Nodes =>
  createMongoRecordStore(
    intercept === undefined ? database : interceptedDatabase(database, intercept),
    NODE_SHAPE,
  );
const add = (nodes: Nodes, number: number): Promise<NodeRecord> =>
  nodes.insert((epoch) => makeNode({ uuid: uuidOf(number) }, epoch));

async function pageAfter(nodes: Nodes, number: number | null) {
  const after = number === null ? null : { uuid: uuidOf(number), value: null };
  const { rows, more } = await nodes.page({ ...EVERYTHING, after, limit: 2 });
  return { numbers: rows.map(({ uuid }) => Number(uuid.slice(-6))), more };
}

/** A store whose next insert waits after it wrote the record, and before it makes sure of its place. */
function unsettledStore() {
  const reached = Promise.withResolvers<undefined>();
  const released = Promise.withResolvers<undefined>();
  const nodes = storeOf(async (_collection, method) => {
    if (method !== 'bulkWrite') return;
    reached.resolve(undefined);
    await released.promise;
  });
  const release = (): void => {
    released.resolve(undefined);
  };
  return { nodes, reached: reached.promise, release };
}

/** A store whose next insert waits between the choice of its place and the insert. */
function pausedStore() {
  const reached = Promise.withResolvers<number>();
  const released = Promise.withResolvers<undefined>();
  const nodes = storeOf(async (_collection, method, [document]) => {
    if (method !== 'insertOne' && method !== 'insertMany') return;
    const [first] = [document as MongoDocument | readonly MongoDocument[]].flat();
    reached.resolve(first?.seq ?? 0);
    await released.promise;
  });
  const release = (): void => {
    released.resolve(undefined);
  };
  return { nodes, reached: reached.promise, release };
}

describe('places in the order of creation in MongoDB', () => {
  const merge = (nodes: Nodes): Promise<void> =>
    nodes.merge([makeNode({ uuid: uuidOf(9) })], (_, incoming) => incoming);

  it.each([
    ['an insert', (nodes: Nodes): Promise<unknown> => add(nodes, 9)],
    ['a merge', merge],
  ])('are taken again by %s that a reader has passed: no page skips it', async (_, write) => {
    const paused = pausedStore();
    const nodes = storeOf();
    await add(nodes, 1);
    const late = write(paused.nodes);
    await paused.reached;
    for (const number of [2, 3, 4]) await add(nodes, number);
    expect(await pageAfter(nodes, null)).toEqual({ numbers: [1, 2], more: true });
    paused.release();
    await late;
    // Others are made before the reader goes on, by another process than the reader's.
    await add(storeOf(), 5);
    expect(await pageAfter(nodes, 2)).toEqual({ numbers: [3, 4], more: true });
    expect(await pageAfter(nodes, 4)).toEqual({ numbers: [9, 5], more: false });
  });

  it('stay as they were chosen where no reader has passed', async () => {
    const paused = pausedStore();
    const nodes = storeOf();
    await add(nodes, 1);
    const late = add(paused.nodes, 9);
    const place = await paused.reached;
    await add(nodes, 2);
    paused.release();
    await late;
    const found = await database.collection<MongoDocument>('nodes').findOne({ _id: uuidOf(9) });
    expect(found?.seq).toBe(place);
  });

  describe('of a record that is not acknowledged yet', () => {
    let late: Promise<NodeRecord>;
    let release: () => void;
    let nodes: Nodes;
    beforeEach(async () => {
      nodes = storeOf();
      await add(nodes, 1);
      const unsettled = unsettledStore();
      late = add(unsettled.nodes, 9);
      ({ release } = unsettled);
      await unsettled.reached;
      for (const number of [2, 3, 4]) await add(nodes, number);
    });
    const inStore = () => database.collection<MongoDocument>('nodes').findOne({ _id: uuidOf(9) });

    it('are confirmed by a reader whose page would end there: it goes on from a place that stays', async () => {
      expect(await pageAfter(nodes, null)).toEqual({ numbers: [1, 2], more: true });
      release();
      await late;
      expect(await pageAfter(nodes, 2)).toEqual({ numbers: [3, 4], more: true });
      expect(await pageAfter(nodes, 4)).toEqual({ numbers: [9], more: false });
      expect(await inStore()).not.toHaveProperty('tentative');
    });

    it('are confirmed by a reader of another order, too', async () => {
      const order = { field: 'provision_state', descending: false } as const;
      const query = { ...EVERYTHING, order, limit: 2 };
      const first = await nodes.page({ ...query, after: null });
      expect(first.rows.map(({ uuid }) => uuid)).toEqual([uuidOf(1), uuidOf(9)]);
      const place = (await inStore())?.seq;
      release();
      await late;
      expect(await inStore()).toMatchObject({ seq: place });
      expect(await inStore()).not.toHaveProperty('tentative');
    });

    it('are confirmed by the first reader when the writer never does', async () => {
      await pageAfter(nodes, null);
      expect(await inStore()).not.toHaveProperty('tentative');
      release();
      await late;
    });

    it('survive a swap, and may still change after it', async () => {
      expect(await nodes.swap(makeNode({ uuid: uuidOf(9), owner: 'p-1' }, 2), 1)).toBe(true);
      expect(await inStore()).toMatchObject({ owner: 'p-1', tentative: true });
      release();
      await late;
      expect(await inStore()).not.toHaveProperty('tentative');
      expect(await nodes.findBy('uuid', uuidOf(9))).not.toHaveProperty('tentative');
    });
  });

  it('are never those of two records', async () => {
    const paused = pausedStore();
    const late = add(paused.nodes, 9);
    const seq = await paused.reached;
    await add(storeOf(), 1);
    const records = database.collection<MongoDocument>('nodes');
    await records.updateOne({ _id: uuidOf(1) }, { $set: { seq } });
    paused.release();
    await late;
    expect((await records.findOne({ _id: uuidOf(9) }))?.seq).toBeGreaterThan(seq);
  });

  it('need two writes to the record, and none to others', async () => {
    const writes: string[] = [];
    const nodes = storeOf((collection, method) => {
      if (method !== 'findOne') writes.push(`${method} ${collection}`);
      return Promise.resolve();
    });
    await add(nodes, 1);
    await add(nodes, 2);
    expect(writes).toEqual([
      'insertOne nodes',
      'bulkWrite nodes',
      'insertOne nodes',
      'bulkWrite nodes',
    ]);
  });

  it('are closed once by readers who end among them, and not again', async () => {
    const writes: string[] = [];
    const nodes = storeOf((collection, method) => {
      if (method !== 'findOne') writes.push(`${method} ${collection}`);
      return Promise.resolve();
    });
    for (const number of [1, 2, 3, 4, 5]) await add(storeOf(), number);
    expect(await pageAfter(nodes, null)).toEqual({ numbers: [1, 2], more: true });
    expect(await pageAfter(nodes, 2)).toEqual({ numbers: [3, 4], more: true });
    expect(await pageAfter(nodes, 4)).toEqual({ numbers: [5], more: false });
    expect(writes).toEqual(['findOneAndUpdate counters']);
  });

  it('stay behind those of records that earlier releases made, and before those made later', async () => {
    const nodes = storeOf();
    await add(nodes, 1);
    const records = database.collection<MongoDocument>('nodes');
    await records.updateOne({ _id: uuidOf(1) }, { $set: { seq: 4711 } });
    await add(nodes, 2);
    expect(await pageAfter(nodes, null)).toEqual({ numbers: [1, 2], more: false });
    const swapped = await nodes.swap(makeNode({ uuid: uuidOf(1) }, 2), 1);
    expect([swapped, (await records.findOne({ _id: uuidOf(1) }))?.seq]).toEqual([true, 4711]);
  });
});
