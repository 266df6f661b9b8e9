import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type NodeRecord } from '@tenure/contracts';
import { type Db, MongoClient } from 'mongodb';
import { createMongoRecordStore } from '../src/adapters/record-store-mongo.js';
import { defineIndexes } from '../src/adapters/schema-mongo.js';
import { databaseOf } from '../src/adapters/stores-mongo.js';
import { DuplicateValueError, type RecordStore } from '../src/ports/record-store.js';
import { NODE_SHAPE } from '../src/ports/shapes.js';
import { DeadError } from '../src/testing/dying-stores.js';
import { EVERYTHING, makeNode, uuidOf } from '../src/testing/fixtures.js';
import { interceptedDatabase } from '../src/testing/intercepted-database.js';

const uri = process.env['TENURE_TEST_MONGODB_URI'];
if (uri === undefined) throw new Error('TENURE_TEST_MONGODB_URI is not set');

type Nodes = RecordStore<NodeRecord>;
type Row = readonly [name: string | null, revision: number];

let client: MongoClient;
beforeAll(async () => {
  client = await MongoClient.connect(uri, { ignoreUndefined: true });
});
afterAll(() => client.close());

const add = (nodes: Nodes, number: number, name: string): Promise<NodeRecord> =>
  nodes.insert((epoch) => makeNode({ uuid: uuidOf(number), name }, epoch));

/** Names that change hands: 1 and 2 swap theirs, 3 is new and gets that of 4. */
function handOver(nodes: Nodes): Promise<void> {
  const names = ['b', 'a', 'd', 'e'];
  const incoming = names.map((name, index) => makeNode({ uuid: uuidOf(index + 1), name }));
  return nodes.merge(incoming, (_, one) => ({ ...one, revision: one.uuid === uuidOf(3) ? 1 : 2 }));
}

const rename = (nodes: Nodes): Promise<boolean> =>
  nodes.swap(makeNode({ uuid: uuidOf(1), name: 'z' }, 2), 1);

interface Case {
  readonly work: (nodes: Nodes) => Promise<unknown>;
  /** Names and revisions after it, by the number of the record. */
  readonly after: Readonly<Record<number, Row>>;
}

const BEFORE: Readonly<Record<number, Row>> = { 1: ['a', 1], 2: ['b', 1], 4: ['d', 1] };

const CASES: Readonly<Record<string, Case>> = {
  'an insert': { work: (nodes) => add(nodes, 3, 'c'), after: { ...BEFORE, 3: ['c', 1] } },
  'a swap': { work: rename, after: { ...BEFORE, 1: ['z', 2] } },
  'a removal': {
    work: (nodes) => nodes.remove(uuidOf(1), 1, 7),
    after: { 2: ['b', 1], 4: ['d', 1] },
  },
  'a merge that hands names over': {
    work: handOver,
    after: { 1: ['b', 2], 2: ['a', 2], 3: ['d', 1], 4: ['e', 2] },
  },
};

const rowsIn = async (nodes: Nodes): Promise<Readonly<Record<number, Row>>> =>
  Object.fromEntries(
    (await nodes.list(EVERYTHING)).map(({ uuid, name, revision }): [number, Row] => [
      Number(uuid.slice(-6)),
      [name, revision],
    ]),
  );

/** A database of three nodes, in which a process dies before its n-th call. */
async function dyingAt(calls: number): Promise<readonly [dying: Nodes, living: Nodes]> {
  const database: Db = databaseOf(client, `tenure_${randomUUID().replaceAll('-', '')}`);
  await defineIndexes(database, [NODE_SHAPE]);
  const living = createMongoRecordStore<NodeRecord>(database, NODE_SHAPE);
  for (const [number, name] of [
    [1, 'a'],
    [2, 'b'],
    [4, 'd'],
  ] as const)
    await add(living, number, name);
  let left = calls;
  const dying = interceptedDatabase(database, () => {
    left -= 1;
    return left < 0 ? Promise.reject(new DeadError()) : Promise.resolve();
  });
  return [createMongoRecordStore(dying, NODE_SHAPE), living];
}

describe.each(Object.entries(CASES))(
  'a process that dies in %s in MongoDB',
  (_, { work, after }) => {
    it('leaves each record as it was or as it becomes, and the values of each its own', async () => {
      let deaths = 0;
      for (let isDead = true; isDead; deaths += 1) {
        const [dying, living] = await dyingAt(deaths);
        isDead = await work(dying).then(
          () => false,
          () => true,
        );
        const rows = await rowsIn(living);
        for (const [number, row] of Object.entries(rows))
          expect([BEFORE[Number(number)], after[Number(number)]]).toContainEqual(row);
        // Nobody else gets a name that a record shows, even where its key was removed.
        for (const [name] of Object.values(rows))
          await expect(add(living, 9, name ?? '')).rejects.toMatchObject({ field: 'name' });
      }
      expect(deaths).toBeGreaterThan(3);
    });

    it('can be followed by another that does it again, wherever it died', async () => {
      for (let calls = 0; calls < 20; calls += 1) {
        const [dying, living] = await dyingAt(calls);
        await work(dying).catch(() => undefined);
        // Work that was done already is refused as a duplicate, or for its revision.
        const refusal = await work(living).then(
          () => undefined,
          (error: unknown) => error,
        );
        expect(refusal === undefined || refusal instanceof DuplicateValueError).toBe(true);
        expect(await rowsIn(living)).toEqual(after);
      }
    });
  },
);
