import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type NodeRecord, UnavailableError } from '@tenure/contracts';
import { MongoClient } from 'mongodb';
import { createMongoRecordStore } from '../src/adapters/record-store-mongo.js';
import { defineIndexes } from '../src/adapters/schema-mongo.js';
import { databaseOf } from '../src/adapters/stores-mongo.js';
import { DuplicateValueError } from '../src/ports/record-store.js';
import { NODE_SHAPE } from '../src/ports/shapes.js';
import { type NodeStore } from '../src/ports/stores.js';
import { type Cut, type CuttingProxy, startCuttingProxy } from '../src/testing/cutting-proxy.js';
import { EVERYTHING, makeNode, uuidOf } from '../src/testing/fixtures.js';

// An election as the inventory sees it: a connection is closed before a command arrives, or before its answer.

const uri = process.env['TENURE_TEST_MONGODB_URI'];
if (uri === undefined) throw new Error('TENURE_TEST_MONGODB_URI is not set');

type Row = readonly [number: number, name: string | null, revision: number];

let proxy: CuttingProxy;
let throughProxy: string;
let client: MongoClient;
beforeAll(async () => {
  client = await MongoClient.connect(uri, { ignoreUndefined: true });
  const { hostname, port } = new URL(uri);
  proxy = await startCuttingProxy(hostname, Number(port));
  const address = new URL(uri);
  address.port = String(proxy.port);
  throughProxy = address.href;
});
afterAll(async () => {
  await client.close();
  await proxy.close();
});

const nodesIn = (connected: MongoClient, name: string): NodeStore =>
  createMongoRecordStore(databaseOf(connected, name), NODE_SHAPE);

interface Case {
  readonly work: (nodes: NodeStore) => Promise<unknown>;
  /** The answer without failures. */
  readonly answer: unknown;
  readonly after: readonly Row[];
}

const BEFORE: readonly Row[] = [
  [1, 'a', 1],
  [2, 'b', 1],
];
const made = makeNode({ uuid: uuidOf(3), name: 'c' });
const COMMANDS = ['find', 'insert', 'update', 'delete', 'findAndModify', 'aggregate'] as const;

const handOver = (nodes: NodeStore): Promise<void> =>
  nodes.merge(
    ['b', 'a', 'c'].map((name, index) => makeNode({ uuid: uuidOf(index + 1), name })),
    (existing, one) => ({ ...one, revision: (existing?.revision ?? 0) + 1 }),
  );

const CASES: Readonly<Record<string, Case>> = {
  'an insert': {
    work: (nodes) => nodes.insert(() => made),
    answer: made,
    after: [...BEFORE, [3, 'c', 1]],
  },
  'a swap': {
    work: (nodes) => nodes.swap(makeNode({ uuid: uuidOf(1), name: 'z' }, 2), 1),
    answer: true,
    after: [
      [1, 'z', 2],
      [2, 'b', 1],
    ],
  },
  'a removal': {
    work: (nodes) => nodes.remove(uuidOf(1), 1, 1),
    answer: true,
    after: [[2, 'b', 1]],
  },
  'a merge': {
    work: handOver,
    answer: undefined,
    after: [
      [1, 'b', 2],
      [2, 'a', 2],
      [3, 'c', 1],
    ],
  },
  'a look-up': {
    work: async (nodes) => (await nodes.findBy('uuid', uuidOf(1)))?.name,
    answer: 'a',
    after: BEFORE,
  },
  'a page': {
    work: async (nodes) => (await nodes.page({ ...EVERYTHING, limit: 1 })).rows.length,
    answer: 1,
    after: BEFORE,
  },
  'a count': {
    work: async (nodes) => (await nodes.countBy('name')).length,
    answer: 2,
    after: BEFORE,
  },
};

const rowsIn = async (nodes: NodeStore): Promise<readonly Row[]> =>
  (await nodes.list(EVERYTHING)).map(({ uuid, name, revision }: NodeRecord): Row => [
    Number(uuid.slice(-6)),
    name,
    revision,
  ]);

interface Outcome {
  readonly answer?: unknown;
  readonly error?: unknown;
}

/** Runs the work with one command cut; undefined: there is no such command in it. */
async function cutAt(
  { work }: Case,
  cut: Cut,
  place: { readonly command: string; readonly collection: string; readonly nth: number },
): Promise<{ readonly outcome: Outcome; readonly rows: readonly Row[] } | undefined> {
  const name = `tenure_${randomUUID().replaceAll('-', '')}`;
  await defineIndexes(client.db(name), [NODE_SHAPE]);
  const living = nodesIn(client, name);
  for (const [number, label] of BEFORE)
    await living.insert(() => makeNode({ uuid: uuidOf(number), name: label }));
  const cutting = await MongoClient.connect(throughProxy, { ignoreUndefined: true });
  try {
    proxy.arm(cut, place.command, place.collection, place.nth);
    const outcome = await work(nodesIn(cutting, name)).then(
      (answer): Outcome => ({ answer }),
      (error: unknown): Outcome => ({ error }),
    );
    return proxy.wasCut() ? { outcome, rows: await rowsIn(living) } : undefined;
  } finally {
    await cutting.close();
  }
}

/** The problems of an outcome: a false result, or records in neither the old nor the new state. */
function problemsOf(
  { answer, after }: Case,
  { outcome, rows }: { readonly outcome: Outcome; readonly rows: readonly Row[] },
): readonly string[] {
  const details = JSON.stringify({ outcome, rows });
  if (!('error' in outcome))
    return isDeepStrictEqual([outcome.answer, rows], [answer, after]) ? [] : [`untrue: ${details}`];
  const isOldOrNew = (row: Row): boolean =>
    [...BEFORE, ...after].some((one) => isDeepStrictEqual(one, row));
  const isTwice = new Set(rows.map(([number]) => number)).size < rows.length;
  return outcome.error instanceof UnavailableError && rows.every(isOldOrNew) && !isTwice
    ? []
    : [`${String(outcome.error)}: ${details}`];
}

describe.each(Object.entries(CASES))('%s in MongoDB whose connection is cut', (_, one) => {
  it.each(['before', 'after'] as const)(
    'at any command, %s it was done, succeeds or reports an unknown outcome: never a false one',
    async (cut) => {
      let cuts = 0;
      const problems: string[] = [];
      for (const command of COMMANDS)
        for (const collection of ['nodes', 'counters'])
          for (let nth = 0; ; nth += 1) {
            const result = await cutAt(one, cut, { command, collection, nth });
            if (result === undefined) break;
            cuts += 1;
            problems.push(...problemsOf(one, result));
          }
      expect(problems).toEqual([]);
      expect(cuts).toBeGreaterThan(0);
    },
    120_000,
  );
});

describe('a write in MongoDB whose answer was lost', () => {
  const lost = (work: Case['work'], command: string) =>
    cutAt({ work, answer: undefined, after: [] }, 'after', {
      command,
      collection: 'nodes',
      nth: 0,
    });

  it.each([
    ['a swap', CASES['a swap'], 'update'],
    ['an insert', CASES['an insert'], 'insert'],
    ['a removal', CASES['a removal'], 'delete'],
  ] as const)('has been done by %s, whose answer is lost', async (_, one, command) => {
    const result = await lost(one?.work ?? (() => Promise.reject(new Error('no case'))), command);
    expect(result?.outcome.error).toBeInstanceOf(UnavailableError);
    expect(result?.outcome.error).not.toBeInstanceOf(DuplicateValueError);
    expect(result?.rows).toEqual(one?.after);
  });
});
