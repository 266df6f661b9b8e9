import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { type AllocationRecord, type NodeRecord, UnavailableError } from '@tenure/contracts';
import { createLogger, createRegistry } from '@tenure/process';
import { FakeInventory } from '@tenure/testing';
import { type AllocationDraft } from '../ports/allocation-store.js';
import { freeNode } from '../testing/free-node.js';
import { ownContext } from './allocate.js';
import { createProcessor, type Processor, type ProcessorOptions } from './processor.js';

const ON = ownContext('req-test');
const draft = (change: Partial<AllocationDraft> = {}): AllocationDraft => ({
  uuid: randomUUID(),
  name: null,
  owner: null,
  resource_class: 'baremetal',
  traits: [],
  candidate_nodes: [],
  extra: {},
  candidate_filter: { mode: 'all', predicates: [] },
  ...change,
});

const started: Processor[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((processor) => processor.stop(0)));
});

function startReplica(inventory: FakeInventory, change: Partial<ProcessorOptions> = {}): Processor {
  const processor = createProcessor({
    store: inventory.store,
    pool: inventory.pool,
    logger: createLogger('test', 'fatal'),
    registry: createRegistry('allocation'),
    now: Date.now,
    random: Math.random,
    newRequestId: () => 'req-r',
    workers: 8,
    emptyPauseMs: 5,
    sleep: async (ms, signal) => {
      await sleep(Math.min(ms, 10), undefined, { signal }).catch(() => undefined);
    },
    recoverEveryMs: 20,
    staleMs: 0,
    failureTimeoutMs: 60_000,
    ...change,
  });
  started.push(processor);
  return processor;
}

const rowsIn = (
  inventory: FakeInventory,
  state: AllocationRecord['state'],
): readonly AllocationRecord[] =>
  [...inventory.allocations.values()].filter((row) => row.state === state);

const nodesIn = ({ nodes }: FakeInventory): readonly NodeRecord[] => [...nodes.values()];

async function untilNoneAllocating(inventory: FakeInventory): Promise<void> {
  while (rowsIn(inventory, 'allocating').length > 0) await sleep(5);
}

const fleet = (count: number) =>
  Array.from({ length: count }, (_, index) => freeNode(`node-${String(index)}`));

async function race(requests: number, nodes: number, maxDelayMs: number): Promise<FakeInventory> {
  const inventory = new FakeInventory(fleet(nodes));
  inventory.maxDelayMs = maxDelayMs;
  const replicas = [startReplica(inventory), startReplica(inventory)];
  for (const replica of replicas) replica.start();
  await Promise.all(
    Array.from({ length: requests }, async (_, index) => {
      const { uuid } = await inventory.store.create(draft(), ON);
      replicas[index % 2]?.submit({ uuid, requestId: 'req-1' });
      // Sometimes both replicas work on the same one.
      if (index % 3 === 0) replicas[(index + 1) % 2]?.submit({ uuid, requestId: 'req-2' });
    }),
  );
  await untilNoneAllocating(inventory);
  return inventory;
}

describe('two replicas over one inventory', () => {
  it.each([
    [20, 5, 15, 2],
    [200, 50, 150, 3],
  ])(
    'end %i requests for %i nodes with no node taken twice and %i in error',
    async (requests, nodes, inError, maxDelayMs) => {
      const inventory = await race(requests, nodes, maxDelayMs);
      const active = rowsIn(inventory, 'active');
      expect(active).toHaveLength(nodes);
      expect(new Set(active.map(({ node_uuid }) => node_uuid)).size).toBe(nodes);
      expect(rowsIn(inventory, 'error')).toHaveLength(inError);
      expect(
        nodesIn(inventory)
          .map(({ uuid, allocation_uuid }) => [allocation_uuid, uuid])
          .sort(),
      ).toEqual(active.map(({ uuid, node_uuid }) => [uuid, node_uuid]).sort());
    },
  );
});

describe('recovery', () => {
  it('completes the allocations of a killed replica', async () => {
    const inventory = new FakeInventory([freeNode('node-1')]);
    const { uuid } = await inventory.store.create(draft(), ON);
    startReplica(inventory).start();
    await untilNoneAllocating(inventory);
    expect(inventory.allocations.get(uuid)).toMatchObject({ state: 'active', node_uuid: 'node-1' });
  });

  it('finds every one of many pages', async () => {
    const inventory = new FakeInventory(fleet(10));
    for (let index = 0; index < 1200; index += 1) await inventory.store.create(draft(), ON);
    startReplica(inventory, { workers: 64 }).start();
    await untilNoneAllocating(inventory);
    expect(rowsIn(inventory, 'active')).toHaveLength(10);
    expect(rowsIn(inventory, 'error')).toHaveLength(1190);
  });

  it('skips young allocations: their own replica works on them', async () => {
    const inventory = new FakeInventory([freeNode('node-1')]);
    const { uuid } = await inventory.store.create(draft(), ON);
    startReplica(inventory, { staleMs: 60_000 }).start();
    await sleep(60);
    expect(inventory.allocations.get(uuid)?.state).toBe('allocating');
  });

  it('is ready only once the inventory has answered', async () => {
    const inventory = new FakeInventory([]);
    inventory.failures = 1;
    const replica = startReplica(inventory);
    replica.start();
    expect(replica.isReady()).toBe(false);
    while (!replica.isReady()) await sleep(5);
    expect(inventory.failures).toBe(0);
  });
});

async function runOne(
  inventory: FakeInventory,
  wanted: AllocationDraft,
  change: Partial<ProcessorOptions> = {},
): Promise<AllocationRecord | undefined> {
  await inventory.store.create(wanted, ON);
  startReplica(inventory, change).submit({ uuid: wanted.uuid, requestId: 'req-1' });
  await untilNoneAllocating(inventory);
  return inventory.allocations.get(wanted.uuid);
}

describe('one allocation', () => {
  it('takes a node of its class with all its traits', async () => {
    const inventory = new FakeInventory([
      freeNode('other-class', { resource_class: 'gpu', traits: ['CUSTOM_A', 'CUSTOM_B'] }),
      freeNode('one-trait', { traits: ['CUSTOM_A'] }),
      freeNode('good', { traits: ['CUSTOM_A', 'CUSTOM_B', 'CUSTOM_C'] }),
    ]);
    expect(await runOne(inventory, draft({ traits: ['CUSTOM_A', 'CUSTOM_B'] }))).toMatchObject({
      state: 'active',
      node_uuid: 'good',
    });
  });

  it('takes the node of its own name before any other', async () => {
    const nodes = [...fleet(200), freeNode('namesake', { name: 'web-1' })];
    expect(await runOne(new FakeInventory(nodes), draft({ name: 'web-1' }))).toMatchObject({
      state: 'active',
      node_uuid: 'namesake',
    });
  });

  it('takes another node when the one of its name does not suit', async () => {
    const nodes = [
      freeNode('namesake', { name: 'web-1', resource_class: 'gpu' }),
      freeNode('good'),
    ];
    expect(await runOne(new FakeInventory(nodes), draft({ name: 'web-1' }))).toMatchObject({
      state: 'active',
      node_uuid: 'good',
    });
  });

  it('says that no node matches the class', async () => {
    const wanted = draft({
      uuid: '5c3e4767-d1ca-4abf-aafa-99a85faee2a5',
      resource_class: 'nosuch',
    });
    expect(await runOne(new FakeInventory(fleet(2)), wanted)).toMatchObject({
      state: 'error',
      node_uuid: null,
      last_error:
        'Failed to process allocation 5c3e4767-d1ca-4abf-aafa-99a85faee2a5: no available nodes match the resource class nosuch.',
    });
  });

  it('says that no suitable node has the traits', async () => {
    const wanted = draft({
      uuid: '5c3e4767-d1ca-4abf-aafa-99a85faee2a5',
      traits: ['CUSTOM_A', 'HW_B'],
    });
    expect((await runOne(new FakeInventory(fleet(2)), wanted))?.last_error).toBe(
      'Failed to process allocation 5c3e4767-d1ca-4abf-aafa-99a85faee2a5: no suitable nodes have the requested traits CUSTOM_A, HW_B.',
    );
  });

  it('says that none of the candidates is available, and takes no other', async () => {
    const inventory = new FakeInventory([
      freeNode('busy', { provision_state: 'active' }),
      freeNode('free'),
    ]);
    const wanted = draft({
      uuid: '5c3e4767-d1ca-4abf-aafa-99a85faee2a5',
      candidate_nodes: ['busy'],
    });
    expect((await runOne(inventory, wanted))?.last_error).toBe(
      'Failed to process allocation 5c3e4767-d1ca-4abf-aafa-99a85faee2a5: none of the requested nodes are available and match the resource class baremetal.',
    );
    expect(nodesIn(inventory).map(({ allocation_uuid }) => allocation_uuid)).toEqual([null, null]);
  });

  it('never takes a node outside the filter that the policy decided on', async () => {
    const inventory = new FakeInventory([
      freeNode('unowned'),
      freeNode('foreign', { owner: 'p-2' }),
    ]);
    const filter = {
      mode: 'any_of',
      predicates: [{ field: 'owner', op: 'eq', value: 'p-1' }],
    } as const;
    expect(
      (await runOne(inventory, draft({ owner: 'p-1', candidate_filter: filter })))?.state,
    ).toBe('error');
  });

  it('survives an inventory that is unavailable for a while', async () => {
    const inventory = new FakeInventory([freeNode('node-1')]);
    const wanted = draft();
    await inventory.store.create(wanted, ON);
    inventory.failures = 4;
    startReplica(inventory).submit({ uuid: wanted.uuid, requestId: 'req-1' });
    await untilNoneAllocating(inventory);
    expect(inventory.allocations.get(wanted.uuid)?.state).toBe('active');
  });

  it('takes one node when the answer to its claim is lost', async () => {
    const inventory = new FakeInventory(fleet(3));
    inventory.pool.lostClaims = 1;
    expect((await runOne(inventory, draft()))?.state).toBe('active');
    expect(
      nodesIn(inventory).filter(({ allocation_uuid }) => allocation_uuid !== null),
    ).toHaveLength(1);
  });

  it('looks twice before it ends in error: a node may be locked for a moment', async () => {
    const inventory = new FakeInventory([]);
    const wanted = draft();
    const slow: ProcessorOptions['sleep'] = () => {
      inventory.put(freeNode('late'));
      return Promise.resolve();
    };
    expect(await runOne(inventory, wanted, { sleep: slow })).toMatchObject({
      state: 'active',
      node_uuid: 'late',
    });
  });

  it('that is deleted meanwhile holds no node', async () => {
    const inventory = new FakeInventory([freeNode('node-1')]);
    const wanted = draft();
    await inventory.store.create(wanted, ON);
    inventory.pool.beforeClaim = () => {
      inventory.allocations.delete(wanted.uuid);
    };
    startReplica(inventory).submit({ uuid: wanted.uuid, requestId: 'req-1' });
    await untilNoneAllocating(inventory);
    await sleep(30);
    expect(inventory.node('node-1').allocation_uuid).toBeNull();
  });

  it('that has only failures ends in error once it is old', async () => {
    const inventory = new FakeInventory([freeNode('node-1')]);
    const failure = new UnavailableError('The inventory service could not answer.');
    jest.spyOn(inventory.pool, 'candidates').mockRejectedValue(failure);
    const wanted = draft({ uuid: '5c3e4767-d1ca-4abf-aafa-99a85faee2a5' });
    expect(await runOne(inventory, wanted, { failureTimeoutMs: 0 })).toMatchObject({
      state: 'error',
      last_error:
        'Failed to process allocation 5c3e4767-d1ca-4abf-aafa-99a85faee2a5: it could not be processed in time.',
    });
  });
});

describe('stop', () => {
  it('finishes running jobs and starts no others', async () => {
    const inventory = new FakeInventory(fleet(4));
    inventory.maxDelayMs = 20;
    const processor = startReplica(inventory, { workers: 1 });
    const uuids: string[] = [];
    for (let index = 0; index < 3; index += 1)
      uuids.push((await inventory.store.create(draft(), ON)).uuid);
    for (const uuid of uuids) processor.submit({ uuid, requestId: 'req-1' });
    await processor.stop(5000);
    processor.submit({ uuid: String(uuids[2]), requestId: 'req-1' });
    await sleep(50);
    expect(rowsIn(inventory, 'active')).toHaveLength(1);
    expect(rowsIn(inventory, 'allocating')).toHaveLength(2);
  });
});
