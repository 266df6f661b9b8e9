/* eslint-disable max-lines-per-function -- a suite, long as test files are */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type NodeRecord } from '@tenure/contracts';
import { chargedStores } from '../application/budgets/charged-stores.js';
import { type LimitChanges, setLimits } from '../application/budgets/quotas.js';
import { recount } from '../application/budgets/recount.js';
import { createUsage } from '../application/budgets/usage.js';
import { type BudgetName, type Charges } from '../domain/budgets.js';
import { type StoredAllocation, type Stores } from '../ports/stores.js';
import { makeNode, uuidOf } from './fixtures.js';
import { macOf } from './resource-calls.js';
import { newServer } from './server-fixtures.js';

const NOW = new Date('2026-11-21T08:00:00Z');
const LATER = new Date('2026-11-21T08:05:00Z');

/** The contract of every adapter for budgets under concurrent writes. `makeStores` returns empty stores. */
export function budgetsContract(makeStores: () => Promise<Stores>): void {
  let stores: Stores;
  let charged: Stores;
  let system: Stores;
  let refused: BudgetName[];

  const charging = (isForced: boolean, over = stores): Stores => {
    const onRefused = (budget: BudgetName): void => {
      refused.push(budget);
    };
    const usage = createUsage({ stores: over, now: () => NOW, onRefused });
    return chargedStores(over, usage, { isForced });
  };

  beforeEach(async () => {
    stores = await makeStores();
    refused = [];
    charged = charging(false);
    system = charging(true);
  });
  afterEach(() => stores.close());

  const allocation =
    (number: number, values: Partial<StoredAllocation> = {}) =>
    (epoch: number): StoredAllocation => ({
      uuid: uuidOf(number),
      name: null,
      owner: 'p-a',
      resource_class: null,
      traits: [],
      candidate_nodes: [],
      extra: {},
      state: 'allocating',
      node_uuid: null,
      last_error: null,
      created_at: '2026-11-21T08:00:00+00:00',
      updated_at: null,
      candidate_filter: { mode: 'all', predicates: [] },
      revision: epoch,
      tenancy_revision: epoch,
      ...values,
    });
  const add = (number: number, values: Partial<StoredAllocation> = {}) =>
    charged.allocations.insert(allocation(number, values));
  const limit = (limits: LimitChanges, account = 'project:p-a') =>
    setLimits(stores, account, limits);
  const used = async (account = 'project:p-a'): Promise<Charges | undefined> =>
    (await stores.usage.findBy('uuid', account))?.used;
  const usedOf = async (name: BudgetName): Promise<number | undefined> => (await used())?.[name];

  it('a project stores at most as many records as its budget permits', async () => {
    await limit({ allocations: 2 });
    await add(1);
    await add(2);
    await expect(add(3)).rejects.toMatchObject({
      code: 'quota_exceeded',
      status: 403,
      message: 'Quota exceeded for allocations: at most 2 may be stored.',
    });
    expect(refused).toEqual(['allocations']);
    expect(await stores.allocations.findBy('uuid', uuidOf(3))).toBeUndefined();
    await add(4, { owner: 'p-b' });
    await add(5, { owner: null });
  });

  it('one of several simultaneous writes succeeds at the limit', async () => {
    await limit({ allocations: 3 });
    await add(1);
    await add(2);
    // Of another replica, which does not share the first one's in-process queue.
    const other = charging(false, { ...stores, usage: { ...stores.usage } });
    const attempts = Array.from({ length: 12 }, (_, index) =>
      (index % 2 === 0 ? charged : other).allocations.insert(allocation(10 + index)),
    );
    const results = await Promise.allSettled(attempts);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await usedOf('allocations')).toBe(3);
  });

  it('the removal of a record frees its part of the budget', async () => {
    await limit({ allocations: 1 });
    const first = await add(1);
    expect(await charged.allocations.remove(first.uuid, first.revision + 1, 1)).toBe(false);
    await expect(add(2)).rejects.toMatchObject({ status: 403 });
    expect(await charged.allocations.remove(first.uuid, first.revision, 1)).toBe(true);
    expect(await usedOf('allocations')).toBe(0);
    await add(2);
  });

  it('a failed write is not charged', async () => {
    await limit({ allocations: 2 });
    await add(1);
    await expect(add(1)).rejects.toMatchObject({ field: 'uuid' });
    expect(await usedOf('allocations')).toBe(1);
    await add(2);
  });

  it('bytes are counted, a change above the limit is refused, and a smaller value frees bytes', async () => {
    await limit({ bytes: 200 });
    const first = await add(1, { extra: { text: 'x'.repeat(100) } });
    const before = await usedOf('bytes');
    const grown = { ...first, revision: first.revision + 1, extra: { text: 'x'.repeat(300) } };
    await expect(charged.allocations.swap(grown, first.revision)).rejects.toMatchObject({
      code: 'quota_exceeded',
      status: 413,
      message: 'Quota exceeded for bytes: at most 200 bytes may be stored.',
    });
    expect(await usedOf('bytes')).toBe(before);
    const shrunk = { ...grown, extra: { text: 'x' } };
    expect(await charged.allocations.swap(shrunk, first.revision)).toBe(true);
    expect(await usedOf('bytes')).toBe((before ?? 0) - 99);
  });

  it('Tenure’s own fields of a record cost nothing, however full the budget is', async () => {
    const first = await add(1);
    await limit({ bytes: 0, allocations: 0 });
    const after: StoredAllocation = {
      ...first,
      state: 'error',
      last_error: 'no node matched',
      revision: first.revision + 1,
    };
    expect(await charged.allocations.swap(after, first.revision)).toBe(true);
  });

  it('Tenure’s own writes are counted and never refused', async () => {
    await limit({ claims: 0 });
    const claim = (id: string) => (epoch: number) => ({
      uuid: `vif:${id}`,
      kind: 'vif' as const,
      id,
      project_id: 'p-a',
      place: null,
      revision: epoch,
    });
    await expect(charged.claims.insert(claim('v-1'))).rejects.toMatchObject({ status: 403 });
    await system.claims.insert(claim('v-1'));
    expect(await usedOf('claims')).toBe(1);
  });

  it('servers are charged to the project, key pairs to the user', async () => {
    await limit({ servers: 1 });
    await limit({ keypairs: 1 }, 'user:u-1');
    const server = (number: number) =>
      charged.servers.insert((epoch) => ({
        ...newServer(number, { project_id: 'p-a' }),
        revision: epoch,
        tenancy_revision: epoch,
      }));
    const keypair = (number: number) =>
      charged.keypairs.insert((epoch) => ({
        uuid: uuidOf(number),
        user_id: 'u-1',
        name: `k${String(number)}`,
        type: 'ssh',
        public_key: 'ssh-ed25519 AAAA',
        fingerprint: 'f',
        created_at: '2026-11-21T08:00:00+00:00',
        revision: epoch,
      }));
    await server(1);
    await expect(server(2)).rejects.toMatchObject({ budget: 'servers' });
    await keypair(3);
    await expect(keypair(4)).rejects.toMatchObject({ budget: 'keypairs' });
  });

  const port = (number: number, charged_to: string | null) => (epoch: number) => ({
    uuid: uuidOf(number),
    node_uuid: uuidOf(1),
    address: macOf(number),
    extra: { text: 'x'.repeat(100) },
    charged_to,
    created_at: '2026-11-21T08:00:00+00:00',
    updated_at: null,
    revision: epoch,
  });

  it('ports and port groups share one budget of the project that wrote them last', async () => {
    await limit({ ports: 2 });
    const { ports, portgroups } = charged.resources;
    const first = await ports.insert(port(11, 'p-a'));
    const bytesOfPort = (await usedOf('bytes')) ?? 0;
    expect(bytesOfPort).toBeGreaterThan(100);
    await portgroups.insert(port(12, 'p-a'));
    await expect(ports.insert(port(13, 'p-a'))).rejects.toMatchObject({ budget: 'ports' });
    await ports.insert(port(14, null));
    const bytes = (await usedOf('bytes')) ?? 0;
    const taken = { ...first, charged_to: 'p-b', revision: first.revision + 1 };
    expect(await ports.swap(taken, first.revision)).toBe(true);
    expect(await used()).toMatchObject({ ports: 1, bytes: bytes - bytesOfPort });
    expect(await used('project:p-b')).toEqual({ ports: 1, bytes: bytesOfPort });
  });

  it('a node is charged to the project that created it, while it owns the node', async () => {
    await limit({ nodes: 1 });
    const node = (number: number, values: Partial<NodeRecord>) =>
      charged.nodes.insert((epoch) => makeNode({ uuid: uuidOf(number), ...values }, epoch));
    const mine = await node(1, { owner: 'p-a', charged_to: 'p-a' });
    await node(2, { owner: 'p-a' });
    const more = node(3, { owner: 'p-a', charged_to: 'p-a' });
    await expect(more).rejects.toMatchObject({ status: 403, budget: 'nodes' });
    expect(await recount(stores, LATER)).toBe(0);
    const sold = { ...mine, owner: 'p-b', revision: mine.revision + 1 };
    expect(await charged.nodes.swap(sold, mine.revision)).toBe(true);
    expect(await recount(stores, LATER)).toBe(1);
    expect(await used()).toEqual({});
    await node(3, { owner: 'p-a', charged_to: 'p-a' });
  });

  it('limits are the account’s own, else the operator’s default, else the built-in ones', async () => {
    await limit({ allocations: 1 }, 'default');
    await add(1);
    await expect(add(2)).rejects.toMatchObject({ budget: 'allocations' });
    await limit({ allocations: null });
    await add(2);
    await limit({ allocations: 'inherit' });
    await expect(add(3)).rejects.toMatchObject({ budget: 'allocations' });
  });

  it('a recount corrects the charges of a killed process, once no write can be in flight', async () => {
    const usage = createUsage({ stores, now: () => NOW, onRefused: () => undefined });
    await add(1);
    // A process reserved, and was killed before it wrote the record.
    await usage.reserve(
      { account: 'project:p-a', charges: { allocations: 1 } },
      { isForced: false },
    );
    expect(await recount(stores, NOW)).toBe(0);
    expect(await usedOf('allocations')).toBe(2);
    expect(await recount(stores, LATER)).toBe(1);
    expect(await usedOf('allocations')).toBe(1);
    expect(await recount(stores, LATER)).toBe(0);
  });

  it('a recount between the removal of a record and its credit does not credit it twice', async () => {
    const usage = createUsage({ stores, now: () => NOW, onRefused: () => undefined });
    await add(1);
    const second = await add(2);
    const receipt = await usage.receiptFor({
      account: 'project:p-a',
      charges: { allocations: 1 },
    });
    await stores.allocations.remove(second.uuid, second.revision, second.revision);
    expect(await recount(stores, LATER)).toBe(1);
    await usage.credit(receipt);
    expect(await usedOf('allocations')).toBe(1);
  });

  it('records from before the introduction of budgets are counted', async () => {
    await stores.allocations.insert(allocation(1));
    await stores.allocations.insert(allocation(2));
    expect(await used()).toBeUndefined();
    expect(await recount(stores, NOW)).toBe(1);
    expect(await usedOf('allocations')).toBe(2);
  });

  it('an import is counted and never refused', async () => {
    await limit({ allocations: 1 });
    const rows = [allocation(1)(1), allocation(2)(1), allocation(3)(1)];
    await charged.allocations.merge(rows, (_existing, row) => row);
    expect(await usedOf('allocations')).toBe(3);
    await expect(add(4)).rejects.toMatchObject({ budget: 'allocations' });
  });
}
/* eslint-enable max-lines-per-function -- the suite ends here */
