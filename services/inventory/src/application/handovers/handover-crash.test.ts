import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type NodeRecord, sealedDigest } from '@tenure/contracts';
import { type CustodySigner } from '../../ports/custody-signer.js';
import { type StoredHandover, type Stores } from '../../ports/stores.js';
import { DeadError, dyingStores } from '../../testing/dying-stores.js';
import { memoryStores } from '../../testing/empty-stores.js';
import { EVERYTHING, makeNode, uuidOf } from '../../testing/fixtures.js';
import { CLEANED } from '../../testing/handover-calls.js';
import { changeNode } from '../change-node.js';
import { storesNow } from '../stores-now.js';
import { type HandoverDependencies } from './change-handover.js';
import { completeHandover } from './complete-handover.js';
import { findHandover } from './find-handover.js';
import { reportHandover } from './report-handover.js';

const NOW = new Date('2026-11-21T08:00:00Z');

/** As long as a digest is. */
const digestOf = (name: string | number): string => `digest-${String(name)}`.padEnd(43, '-');

/** Numbers that follow one another, as the real signer gives them. */
const NUMBERING: CustodySigner = {
  sign: (_record, { count, digest }) =>
    Promise.resolve({
      number: count + 1,
      previous: digest,
      digest: digestOf(count + 1),
      signature: 's',
    }),
  publicKeys: [],
};

let stores: Stores;
let dying: ReturnType<typeof dyingStores>;
let deps: HandoverDependencies;

beforeEach(async () => {
  stores = await memoryStores();
  dying = dyingStores(stores);
  const now = (): Date => NOW;
  deps = { stores: storesNow(dying.stores, { now, signer: NUMBERING }), now, signer: NUMBERING };
});
afterEach(() => stores.close());

const WRITTEN = { extra: { a: 1 }, description: 'A was here' };
const BEFORE = { extra: { rack: '1' }, description: null };

const leased = (number: number, touched: boolean): Promise<NodeRecord> =>
  stores.nodes.insert((epoch) =>
    makeNode(
      {
        uuid: uuidOf(number),
        owner: 'p-owner',
        lessee: 'p-a',
        provision_state: 'available',
        ...WRITTEN,
        custody: { before: BEFORE, touched },
      },
      epoch,
    ),
  );

async function nodeNow(number: number): Promise<NodeRecord> {
  const node = await deps.stores.nodes.findBy('uuid', uuidOf(number));
  if (node === undefined) throw new Error('there is no such node');
  return node;
}

const recordsOf = async (number: number): Promise<readonly StoredHandover[]> =>
  (await stores.handovers.list(EVERYTHING)).filter(
    ({ node_uuid: nodeUuid }) => nodeUuid === uuidOf(number),
  );

async function takeBack(number: number): Promise<void> {
  await changeNode({
    nodes: deps.stores.nodes,
    now: deps.now,
    uuid: uuidOf(number),
    ident: uuidOf(number),
    change: (node) => (node.lessee === null ? undefined : { ...node, lessee: null }),
  });
}

/** A conductor's work on a node that it finds in a handover. */
async function handOver(number: number): Promise<void> {
  const { handover_uuid: handover } = await nodeNow(number);
  if (typeof handover !== 'string') return;
  const record = await findHandover(deps, handover);
  await completeHandover(deps, await reportHandover(deps, record.uuid, CLEANED));
}

async function unlessDead(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof DeadError)) throw error;
  }
}

/** After any crash, no reader finds a handover complete before it is. */
async function isSound(number: number): Promise<void> {
  const node = await nodeNow(number);
  const open = (await recordsOf(number)).filter(({ status }) => status !== 'complete');
  const current = open.at(-1);
  expect(node).toMatchObject({
    ...(node.lessee === null ? BEFORE : WRITTEN),
    ...(current !== undefined && { handover_uuid: current.uuid }),
  });
}

describe.each([
  ['a machine that was used', true],
  ['a machine that nobody used', false],
])('%s', (_, touched) => {
  it('is handed over once, wherever the inventory died in between', async () => {
    for (let writes = 0; writes < 12; writes += 1) {
      await leased(writes, touched);
      dying.dieAfter(writes);
      await unlessDead(async () => {
        await takeBack(writes);
        await handOver(writes);
      });
      dying.revive();
      await isSound(writes);
      await takeBack(writes);
      await handOver(writes);
      expect(await nodeNow(writes)).toMatchObject({
        lessee: null,
        ...BEFORE,
        handover_uuid: null,
        custody: { before: {}, opening: null, head: { count: 1, digest: digestOf(1) } },
      });
      expect(await recordsOf(writes)).toMatchObject([
        { status: 'complete', sealed: WRITTEN, number: 1, previous: null },
      ]);
    }
  });
});

describe('two that complete at the same moment', () => {
  it('have numbers one after the other', async () => {
    await leased(1, true);
    await takeBack(1);
    const { handover_uuid: first } = await nodeNow(1);
    const record = await findHandover(deps, String(first));
    const ready = await reportHandover(deps, record.uuid, CLEANED);
    // Another was completed meanwhile, and the node does not say so yet.
    await stores.handovers.insert((epoch) => ({
      ...ready,
      uuid: uuidOf(99),
      status: 'complete',
      number: 1,
      digest: digestOf('other'),
      revision: epoch,
    }));
    expect(await completeHandover(deps, ready)).toMatchObject({
      number: 2,
      previous: digestOf('other'),
    });
    expect(await nodeNow(1)).toMatchObject({ custody: { head: { count: 2 } } });
  });
});

describe('a machine with many handovers', () => {
  const write = async (values: Partial<NodeRecord>): Promise<void> => {
    await changeNode({
      nodes: deps.stores.nodes,
      now: deps.now,
      uuid: uuidOf(1),
      ident: uuidOf(1),
      change: (node) => ({ ...node, ...values }),
    });
  };
  /** Leases the node to a project that writes on it and uses it. */
  const lend = async (): Promise<void> => {
    await write({ lessee: 'p-a' });
    const { custody } = await nodeNow(1);
    await write({ ...WRITTEN, custody: { ...custody, before: BEFORE, touched: true } });
  };

  it('has the sealed values of the last twenty, and the digest of each', async () => {
    await leased(1, true);
    for (let write = 1; write <= 22; write += 1) {
      await lend();
      await takeBack(1);
      await handOver(1);
    }
    const records = await recordsOf(1);
    expect(records.map(({ number }) => number)).toEqual(
      Array.from({ length: 22 }, (_, index) => index + 1),
    );
    const digest = sealedDigest({ sealed: WRITTEN });
    for (const record of records.slice(0, 2))
      expect(record).toMatchObject({ sealed: {}, sealed_digest: digest });
    for (const record of records.slice(2)) {
      expect(record.sealed).toEqual(WRITTEN);
      expect(record).not.toHaveProperty('sealed_digest');
    }
  });
});
