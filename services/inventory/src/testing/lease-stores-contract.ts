/* eslint-disable max-lines-per-function -- a suite, long as test files are */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { allowedNodes } from '../domain/candidates.js';
import { type Condition } from '../ports/record-store.js';
import { type StoredLease, type Stores } from '../ports/stores.js';
import { EVERYTHING, makeNode, uuidOf } from './fixtures.js';

const EIGHT = '2026-11-21T08:00:00+00:00';
const NINE = '2026-11-21T09:00:00+00:00';
const TEN = '2026-11-21T10:00:00+00:00';

/** The contract of every adapter for leases, and for nodes that are leased. `makeStores` gives empty stores. */
export function leaseStoresContract(makeStores: () => Promise<Stores>): void {
  let stores: Stores;

  beforeEach(async () => {
    stores = await makeStores();
  });
  afterEach(() => stores.close());

  const addNode = (number: number, values: Readonly<Record<string, unknown>>) =>
    stores.nodes.insert((epoch) => makeNode({ uuid: uuidOf(number), ...values }, epoch));
  const numbersOf = (rows: readonly { readonly uuid: string }[]): readonly number[] =>
    rows.map(({ uuid }) => Number(uuid.slice(-6)));

  it('a lease comes back as it was written, and is written over at its revision only', async () => {
    const written = await stores.leases.insert((epoch) => lease(1, epoch));
    expect(await stores.leases.findBy('uuid', uuidOf(1))).toEqual(written);
    const after = { ...written, status: 'active', revision: written.revision + 1 } as const;
    expect(await stores.leases.swap(after, written.revision + 5)).toBe(false);
    expect(await stores.leases.swap(after, written.revision)).toBe(true);
  });

  it('a leased node is found for its lessee alone, and while the lease lasts', async () => {
    await addNode(1, { owner: 'p-a' });
    await addNode(2, { owner: 'p-a', lessee: 'p-b' });
    await addNode(3, { owner: 'p-a', lease_uuid: uuidOf(9) });
    const lasting = { lease_uuid: uuidOf(9), lessee: 'p-b', lessee_until: TEN };
    await addNode(4, { owner: 'p-a', ...lasting });
    await addNode(5, { owner: 'p-b', ...lasting });
    await addNode(6, { owner: 'p-a', lease_uuid: uuidOf(9), lease_end: EIGHT });
    const foundFor = async (mode: 'all' | 'any_of' | 'none', ...projects: string[]) => {
      const predicates = projects.flatMap((value) =>
        ['owner', 'lessee'].map((field) => ({ field, op: 'eq' as const, value })),
      );
      return numbersOf(
        await stores.nodes.list({ ...EVERYTHING, ...allowedNodes({ mode, predicates }) }),
      );
    };
    expect(await foundFor('any_of', 'p-a')).toEqual([1, 2]);
    expect(await foundFor('any_of', 'p-b')).toEqual([2, 4, 5]);
    expect(await foundFor('all')).toEqual([1, 2]);
    expect(await foundFor('none')).toEqual([]);
  });

  it('leases are found by owner, by lessee, and by what is due', async () => {
    await stores.leases.insert((epoch) => lease(1, epoch));
    await stores.leases.insert((epoch) => ({ ...lease(2, epoch), owner: 'p-c', start_time: TEN }));
    await stores.leases.insert((epoch) => ({ ...lease(3, epoch), status: 'active' }));
    const of = async (field: string, value: string) =>
      numbersOf(await stores.leases.list({ ...EVERYTHING, anyOf: [{ field, value }] }));
    expect(await of('owner', 'p-c')).toEqual([2]);
    expect(await of('lessee', 'p-b')).toEqual([1, 2, 3]);
    const due = (now: string): readonly Condition[] => [
      { field: 'status', op: 'eq', value: 'pending' },
      { field: 'start_time', op: 'at_most', value: now },
    ];
    const dueAt = async (now: string) =>
      numbersOf(await stores.leases.list({ ...EVERYTHING, where: due(now) }));
    expect(await dueAt(EIGHT)).toEqual([]);
    expect(await dueAt(NINE)).toEqual([1]);
    expect(await dueAt(TEN)).toEqual([1, 2]);
  });

  it('a lessee is looked for among those who still have the node, an owner among all', async () => {
    await addNode(1, { owner: 'p-a', lessee: 'p-b', lessee_until: NINE });
    await addNode(2, { owner: 'p-a', lessee: 'p-b', lessee_until: null });
    await addNode(3, { owner: 'p-a', lessee: 'p-b' });
    await addNode(4, { owner: 'p-b', lessee_until: NINE });
    const at = async (now: string) =>
      numbersOf(
        await stores.nodes.list({
          ...EVERYTHING,
          anyOf: [
            { field: 'owner', value: 'p-b' },
            { field: 'lessee', value: 'p-b', and: [counts(now)] },
          ],
        }),
      );
    expect(await at(EIGHT)).toEqual([1, 2, 3, 4]);
    expect(await at(NINE)).toEqual([2, 3, 4]);
  });

  it('so is what hangs on a node', async () => {
    await addNode(1, { lessee: 'p-b', lessee_until: NINE });
    await stores.resources.ports.insert((epoch) => ({
      uuid: uuidOf(11),
      node_uuid: uuidOf(1),
      address: '52:54:00:00:00:11',
      name: null,
      created_at: EIGHT,
      updated_at: null,
      revision: epoch,
    }));
    const at = async (now: string) =>
      numbersOf(
        await stores.resources.ports.list({
          ...EVERYTHING,
          through: {
            anyOf: [{ field: 'lessee', value: 'p-b', and: [counts(now)] }],
            where: [],
          },
        }),
      );
    expect(await at(EIGHT)).toEqual([11]);
    expect(await at(NINE)).toEqual([]);
  });

  it('nodes whose lease is over are found, and no others', async () => {
    await addNode(1, { lease_end: NINE });
    await addNode(2, { lease_end: TEN });
    await addNode(3, {});
    const where: readonly Condition[] = [{ field: 'lease_end', op: 'at_most', value: NINE }];
    expect(numbersOf(await stores.nodes.list({ ...EVERYTHING, where }))).toEqual([1]);
  });
}

const lease = (number: number, epoch: number): StoredLease => ({
  uuid: uuidOf(number),
  node_uuid: uuidOf(1),
  owner: 'p-a',
  lessee: 'p-b',
  status: 'pending',
  reason: null,
  start_time: NINE,
  end_time: TEN,
  started_at: null,
  ended_at: null,
  on_end: { undeploy: true, clean: false },
  purpose: null,
  phase: null,
  created_at: EIGHT,
  updated_at: null,
  revision: epoch,
  tenancy_revision: epoch,
});

const counts = (now: string): Condition => ({
  field: 'lessee_until',
  op: 'null_or_above',
  value: now,
});
/* eslint-enable max-lines-per-function -- the suite ends here */
