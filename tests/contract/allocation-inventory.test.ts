import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type AllocationRecord,
  type CallContext,
  type NodeRecord,
  type Obligations,
  type PolicyFilter,
} from '@tenure/contracts';
import { newCallContext } from '@tenure/signed-context';
import { ALL, aNode, NONE, nodesOf, withProject } from '@tenure/testing';
import { type AllocationDraft } from '../../services/allocation/src/ports/allocation-store.js';
import { type CandidateQuery } from '../../services/allocation/src/ports/node-pool.js';
import { INVENTORIES, type TestedInventory } from '../support/inventories.js';

// The contract of the inventory with the allocation service: of the inventory's program, and of the one in memory.

const uuidOf = (number: number): string =>
  `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const MISSING = uuidOf(404);
const NOT_FOUND = { status: 404, code: 'not_found' };
const TAKEN = { status: 409, code: 'node_taken' };
const STALE = {
  ...{ status: 412, code: 'tenancy_changed' },
  headers: { 'X-Tenure-Stale': 'tenancy' },
};

function demanding(obligations: Partial<Obligations> = {}): CallContext {
  const context = newCallContext('baremetal:allocation:create');
  return {
    ...context,
    obligations: { ...context.obligations, filter: ALL, ...obligations },
  };
}
const CONTEXT = demanding();
const STATE_NOT = (value: string): CallContext =>
  demanding({ conditions: [{ field: 'state', op: 'ne', value, action: 'a:b' }] });
const CONDITION_NOT_MET = { status: 409, code: 'condition_not_met' };

const stale = (uuid: string): CallContext => ({
  ...CONTEXT,
  resources: [{ type: 'allocation', uuid, tenancy_revision: 9 }],
});

const draft = (number: number, fields: Partial<AllocationDraft> = {}): AllocationDraft => ({
  uuid: uuidOf(number),
  name: null,
  owner: null,
  resource_class: 'baremetal',
  traits: [],
  candidate_nodes: [],
  extra: {},
  candidate_filter: { mode: 'all', predicates: [] },
  ...fields,
});

const uuidsIn = (rows: readonly { readonly uuid: string }[]): readonly string[] =>
  rows.map(({ uuid }) => uuid);

/** A conductor does what the handover of a node needs. */
async function handOver(
  { handovers }: TestedInventory,
  { handover_uuid: uuid }: NodeRecord,
): Promise<void> {
  const context = newCallContext('tenure:conductor:handover');
  const clean = {
    step: 'clean',
    outcome: 'done',
    at: '2026-11-21T08:00:00Z',
    detail: null,
  } as const;
  const done = { status: 'open', phase: 'cleaning', steps: [clean] } as const;
  await handovers.report(context, uuid ?? '', done);
  await handovers.complete(context, uuid ?? '');
}

describe.each(INVENTORIES)('the inventory %s, for the allocation service', (_name, open) => {
  let inventory: TestedInventory;
  beforeEach(async () => {
    inventory = await open();
  });
  afterEach(() => inventory.close());

  const create = (number: number, fields?: Partial<AllocationDraft>): Promise<AllocationRecord> =>
    inventory.store.create(draft(number, fields), CONTEXT);
  const put = (number: number, fields: Partial<NodeRecord> = {}): Promise<NodeRecord> =>
    inventory.put(
      aNode({ uuid: uuidOf(number), owner: null, resource_class: 'baremetal', ...fields }),
    );
  const claim = (allocation: number, node: number): Promise<AllocationRecord> =>
    inventory.pool.claim(uuidOf(allocation), uuidOf(node), CONTEXT);
  const change = (number: number, expectedRevision: number, set: object, context = CONTEXT) =>
    inventory.store.update(uuidOf(number), { expectedRevision, set }, context);
  const remove = (number: number, context = CONTEXT): Promise<void> =>
    inventory.store.remove(uuidOf(number), context);

  describe('a new allocation', () => {
    it('is searching for a node, and has the owner that the policy forces', async () => {
      const forced = demanding({ set: { owner: 'p-1' } });
      const fields = { name: 'one', traits: ['CUSTOM_A'], extra: { a: { b: 1 } } };
      const created = await inventory.store.create(draft(1, fields), forced);
      expect(created).toEqual({
        uuid: uuidOf(1),
        name: 'one',
        owner: 'p-1',
        resource_class: 'baremetal',
        traits: ['CUSTOM_A'],
        candidate_nodes: [],
        extra: { a: { b: 1 } },
        candidate_filter: { mode: 'all', predicates: [] },
        state: 'allocating',
        node_uuid: null,
        last_error: null,
        created_at: '2026-11-21T08:00:00+00:00',
        updated_at: null,
        revision: 1,
      });
      expect(await inventory.store.find(uuidOf(1), CONTEXT)).toEqual(created);
    });

    it('is refused for a name or a uuid that is in use', async () => {
      await create(1, { name: 'one' });
      const duplicate = { status: 409, code: 'duplicate' };
      await expect(create(2, { name: 'one' })).rejects.toMatchObject({
        ...duplicate,
        message: 'An allocation with name one already exists.',
      });
      await expect(create(1)).rejects.toMatchObject({
        ...duplicate,
        message: `An allocation with UUID ${uuidOf(1)} already exists.`,
      });
      expect(await create(2)).toMatchObject({ name: null });
      expect(await create(3)).toMatchObject({ name: null });
    });
  });

  describe('an allocation', () => {
    it('that is missing is not found', async () => {
      const message = `Allocation ${MISSING} could not be found.`;
      const missing = { ...NOT_FOUND, message };
      await put(11);
      await expect(inventory.store.find(MISSING, CONTEXT)).rejects.toMatchObject(missing);
      await expect(change(404, 1, {})).rejects.toMatchObject(missing);
      await expect(remove(404)).rejects.toMatchObject(missing);
      await expect(claim(404, 11)).rejects.toMatchObject(missing);
    });

    it('is not for a decision that was made on another of the same uuid', async () => {
      await create(1);
      await put(11);
      const context = stale(uuidOf(1));
      await expect(inventory.store.find(uuidOf(1), context)).rejects.toMatchObject(STALE);
      await expect(change(1, 1, { name: 'x' }, context)).rejects.toMatchObject(STALE);
      await expect(remove(1, context)).rejects.toMatchObject(STALE);
      await expect(inventory.pool.claim(uuidOf(1), uuidOf(11), context)).rejects.toMatchObject(
        STALE,
      );
    });

    it('is not for a decision whose condition is not met', async () => {
      await create(1);
      await put(11);
      const context = STATE_NOT('allocating');
      await expect(change(1, 1, { name: 'x' }, context)).rejects.toMatchObject(CONDITION_NOT_MET);
      await expect(remove(1, context)).rejects.toMatchObject(CONDITION_NOT_MET);
      await expect(inventory.pool.claim(uuidOf(1), uuidOf(11), context)).rejects.toMatchObject(
        CONDITION_NOT_MET,
      );
      expect(await change(1, 1, { name: 'x' }, STATE_NOT('active'))).toMatchObject({ name: 'x' });
    });

    it('is changed over the revision that was seen only', async () => {
      await create(1);
      await create(2, { name: 'two' });
      expect(await change(1, 1, { extra: { a: 1 } })).toMatchObject({
        extra: { a: 1 },
        resource_class: 'baremetal',
        revision: 2,
        updated_at: '2026-11-21T08:00:00+00:00',
      });
      await expect(change(1, 1, { extra: {} })).rejects.toMatchObject({
        ...{ status: 409, code: 'revision_conflict' },
      });
      await expect(change(1, 2, { name: 'two' })).rejects.toMatchObject({
        ...{ status: 409, code: 'duplicate' },
      });
      expect(await inventory.store.find(uuidOf(1), CONTEXT)).toMatchObject({
        ...{ name: null, extra: { a: 1 }, revision: 2 },
      });
    });

    it('that is removed releases its node, which is free again once it is handed over', async () => {
      await create(1, { name: 'one', traits: ['CUSTOM_A'] });
      await put(11, { traits: ['CUSTOM_A'], instance_info: { a: 1 } });
      await claim(1, 11);
      await remove(1);
      await expect(remove(1)).rejects.toMatchObject(NOT_FOUND);
      expect(await create(2, { name: 'one' })).toMatchObject({ name: 'one' });
      const node = await inventory.node(uuidOf(11));
      expect(node).toMatchObject({
        ...{ allocation_uuid: null, instance_uuid: null, instance_info: { a: 1 } },
      });
      await expect(claim(2, 11)).rejects.toMatchObject(TAKEN);
      await handOver(inventory, node);
      expect(await claim(2, 11)).toMatchObject({ node_uuid: uuidOf(11) });
    });

    it('stays while its node must keep it', async () => {
      const links = { allocation_uuid: uuidOf(1), instance_uuid: uuidOf(1) };
      await create(1);
      await create(2);
      await create(3);
      await put(11, { ...links, provision_state: 'active' });
      await put(12, { allocation_uuid: uuidOf(2), reservation: 'host-1' });
      await put(13, {
        ...{ allocation_uuid: uuidOf(3), instance_uuid: uuidOf(9) },
        ...{ provision_state: 'active', maintenance: true },
      });
      await expect(remove(1)).rejects.toMatchObject({ status: 409, code: 'node_in_use' });
      await expect(remove(2)).rejects.toMatchObject({
        ...{ status: 409, code: 'node_locked' },
        message: `Node ${uuidOf(12)} is locked, please retry after the current operation is completed.`,
      });
      expect(await inventory.node(uuidOf(11))).toMatchObject(links);
      await remove(3);
      expect(await inventory.node(uuidOf(13))).toMatchObject({
        ...{ allocation_uuid: null, instance_uuid: uuidOf(9) },
      });
    });
  });

  describe('a list of allocations', () => {
    beforeEach(async () => {
      await create(3, { name: 'b', owner: 'p-1' });
      await create(1, { owner: 'p-2', resource_class: 'gpu' });
      await create(4, { name: 'a', owner: 'p-1' });
      await create(2, { owner: 'p-1' });
    });

    const list = async (query: object = {}, filter: PolicyFilter = ALL) => {
      const page = { limit: 10, sort_dir: 'asc', ...query } as const;
      const { allocations, more } = await inventory.store.list(page, demanding({ filter }));
      return [allocations.map(({ uuid }) => Number(uuid.slice(-12))), more];
    };

    it('is in the order of creation, or against it', async () => {
      expect(await list()).toEqual([[3, 1, 4, 2], false]);
      expect(await list({ sort_dir: 'desc' })).toEqual([[2, 4, 1, 3], false]);
    });

    it('is sorted by a field, what has none first, and the older of equal ones first', async () => {
      expect(await list({ sort_key: 'uuid' })).toEqual([[1, 2, 3, 4], false]);
      expect(await list({ sort_key: 'name' })).toEqual([[1, 2, 4, 3], false]);
      expect(await list({ sort_key: 'name', sort_dir: 'desc' })).toEqual([[3, 4, 2, 1], false]);
      expect(await list({ sort_key: 'owner' })).toEqual([[3, 4, 2, 1], false]);
    });

    it('goes on after a marker, and says whether there is more', async () => {
      expect(await list({ limit: 2 })).toEqual([[3, 1], true]);
      expect(await list({ limit: 2, marker: uuidOf(1) })).toEqual([[4, 2], false]);
      expect(await list({ limit: 4 })).toEqual([[3, 1, 4, 2], false]);
      expect(await list({ limit: 1, sort_key: 'name', marker: uuidOf(2) })).toEqual([[4], true]);
    });

    it('has what every condition holds for', async () => {
      await put(11);
      await claim(3, 11);
      expect(await list({ owner: 'p-1' })).toEqual([[3, 4, 2], false]);
      expect(await list({ owner: 'p-1', resource_class: 'gpu' })).toEqual([[], false]);
      expect(await list({ resource_class: 'gpu' })).toEqual([[1], false]);
      expect(await list({ state: 'active' })).toEqual([[3], false]);
      expect(await list({ node_uuid: uuidOf(11) })).toEqual([[3], false]);
      expect(await list({ marker: uuidOf(1), owner: 'p-1' })).toEqual([[4, 2], false]);
    });

    it('has what the policy lets a caller see', async () => {
      const own = withProject('p-2', 'owner');
      expect(await list({}, own)).toEqual([[1], false]);
      expect(await list({}, NONE)).toEqual([[], false]);
      for (const marker of [uuidOf(3), MISSING])
        await expect(list({ marker }, own)).rejects.toMatchObject({
          ...NOT_FOUND,
          message: `Allocation ${marker} could not be found.`,
        });
    });

    it('has the fields that were requested', async () => {
      const query = { limit: 1, sort_dir: 'asc', fields: ['name', 'traits'] } as const;
      const { allocations } = await inventory.store.list(query, CONTEXT);
      expect(allocations).toEqual([{ uuid: uuidOf(3), name: 'b', traits: [] }]);
    });
  });

  describe('candidates', () => {
    const candidates = async (query: Partial<CandidateQuery> = {}) => {
      const any = { resource_class: null, traits: [], candidate_nodes: [], filter: ALL, limit: 9 };
      const found = await inventory.pool.candidates({ ...any, ...query }, CONTEXT);
      return uuidsIn(found).map((uuid) => Number(uuid.slice(-12)));
    };

    it.each<Partial<NodeRecord>>([
      { provision_state: 'active' },
      { instance_uuid: MISSING },
      { allocation_uuid: MISSING },
      { reservation: 'host-1' },
      { maintenance: true },
      { power_state: null },
      { handover_uuid: MISSING },
    ])('are no nodes with %j', async (fields) => {
      await put(11, fields);
      await put(12);
      await create(1);
      expect(await candidates()).toEqual([12]);
      await expect(claim(1, 11)).rejects.toMatchObject(TAKEN);
    });

    it('have the class, all traits and the name, and are among those that are named', async () => {
      await put(12, { traits: ['CUSTOM_A'] });
      await put(11, { name: 'eleven', traits: ['CUSTOM_B', 'CUSTOM_A'], resource_class: 'gpu' });
      expect(await candidates()).toEqual([12, 11]);
      expect(await candidates({ limit: 1 })).toEqual([12]);
      expect(await candidates({ resource_class: 'gpu' })).toEqual([11]);
      expect(await candidates({ traits: ['CUSTOM_A'] })).toEqual([12, 11]);
      expect(await candidates({ traits: ['CUSTOM_A', 'CUSTOM_B'] })).toEqual([11]);
      expect(await candidates({ candidate_nodes: [uuidOf(11), MISSING] })).toEqual([11]);
      expect(await candidates({ name: 'eleven' })).toEqual([11]);
    });

    it('are nodes that the filter lets through', async () => {
      await put(11);
      await put(12, { owner: 'p-1' });
      await put(13, { owner: 'p-2', lessee: 'p-1' });
      await put(14, { owner: 'p-1', lessee: 'p-2' });
      expect(await candidates({ filter: nodesOf('p-1') })).toEqual([12, 13, 14]);
      expect(await candidates({ filter: NONE })).toEqual([]);
    });

    it('with a lease are its lessee’s alone, while it lasts', async () => {
      const until = '2026-11-22T08:00:00+00:00';
      const lasting = { lease_uuid: uuidOf(91), lease_end: until, lessee_until: until };
      await put(11, { owner: 'p-1', lessee: 'p-2', ...lasting });
      await put(12, { owner: 'p-1', lease_uuid: uuidOf(92) });
      expect(await candidates({ filter: nodesOf('p-1') })).toEqual([]);
      expect(await candidates()).toEqual([]);
      expect(await candidates({ filter: nodesOf('p-2') })).toEqual([11]);
      await create(1);
      await expect(claim(1, 11)).rejects.toMatchObject(TAKEN);
    });
  });

  it('resolves names and uuids of visible nodes, and treats hidden ones as missing', async () => {
    await put(11, { name: 'mine', owner: 'p-1' });
    await put(12, { name: 'leased', owner: 'p-2', lessee: 'p-1' });
    await put(13, { name: 'foreign', owner: 'p-2' });
    const idents = ['mine', uuidOf(12), 'foreign', uuidOf(13), 'no-such', MISSING];
    expect(await inventory.pool.resolve(idents, nodesOf('p-1'), CONTEXT)).toEqual({
      found: [
        { ident: 'mine', uuid: uuidOf(11) },
        { ident: uuidOf(12), uuid: uuidOf(12) },
      ],
      missing: ['foreign', uuidOf(13), 'no-such', MISSING],
    });
    expect(await inventory.pool.resolve(['mine'], NONE, CONTEXT)).toEqual({
      ...{ found: [], missing: ['mine'] },
    });
  });

  describe('a claim', () => {
    it('writes both sides, and is safe to repeat', async () => {
      await create(1, { traits: ['CUSTOM_A'] });
      await put(11, { traits: ['CUSTOM_A', 'CUSTOM_B'], instance_info: { a: 1 } });
      await put(12, { traits: ['CUSTOM_A'] });
      const claimed = await claim(1, 11);
      expect(claimed).toMatchObject({
        ...{ state: 'active', node_uuid: uuidOf(11), last_error: null, revision: 2 },
      });
      expect(await inventory.node(uuidOf(11))).toMatchObject({
        allocation_uuid: uuidOf(1),
        instance_uuid: uuidOf(1),
        instance_info: { a: 1, traits: ['CUSTOM_A'] },
      });
      expect(await claim(1, 11)).toEqual(claimed);
      expect(await claim(1, 12)).toEqual(claimed);
      expect(await inventory.node(uuidOf(12))).toMatchObject({ allocation_uuid: null });
    });

    it('takes a node once, whoever claims it at once', async () => {
      await put(11);
      for (const number of [1, 2, 3]) await create(number);
      const results = await Promise.allSettled([1, 2, 3].map((number) => claim(number, 11)));
      const lost = results.filter(({ status }) => status === 'rejected');
      expect(lost).toMatchObject([{ reason: TAKEN }, { reason: TAKEN }]);
      const { allocations } = await inventory.store.list(
        { state: 'active', limit: 10, sort_dir: 'asc' },
        CONTEXT,
      );
      expect(uuidsIn(allocations)).toEqual([(await inventory.node(uuidOf(11))).allocation_uuid]);
    });

    it('takes one node for an allocation, whichever are claimed for it at once', async () => {
      await create(1);
      for (const number of [11, 12]) await put(number);
      await Promise.allSettled([11, 12].map((number) => claim(1, number)));
      const nodes = [await inventory.node(uuidOf(11)), await inventory.node(uuidOf(12))];
      const allocated = nodes.filter(({ allocation_uuid: links }) => links !== null);
      expect(uuidsIn(allocated)).toEqual([
        (await inventory.store.find(uuidOf(1), CONTEXT)).node_uuid,
      ]);
    });

    it.each<readonly [string, Partial<AllocationDraft>]>([
      ['of another class', { resource_class: 'gpu' }],
      ['without its traits', { traits: ['CUSTOM_A'] }],
      ['that is not among its candidates', { candidate_nodes: [MISSING] }],
      ['outside its filter', { candidate_filter: nodesOf('p-1') }],
      ['under no filter', { candidate_filter: NONE }],
    ])('is refused for a node %s', async (_what, fields) => {
      await create(1, fields);
      await put(11);
      await expect(claim(1, 11)).rejects.toMatchObject({
        ...TAKEN,
        message: `Node ${uuidOf(11)} is not available for this allocation.`,
      });
      expect(await inventory.node(uuidOf(11))).toMatchObject({ allocation_uuid: null });
    });

    it('is refused for a node that is missing, and an allocation that has failed', async () => {
      await create(1);
      await put(11);
      await expect(claim(1, 404)).rejects.toMatchObject(NOT_FOUND);
      await change(1, 1, { state: 'error', last_error: 'No node.' });
      await expect(claim(1, 11)).rejects.toMatchObject({ status: 409, code: 'allocation_failed' });
    });
  });

  describe('a backfill', () => {
    const backfill = (allocation: number, node: number) =>
      inventory.pool.backfill(uuidOf(allocation), uuidOf(node), CONTEXT);

    it('takes a node that is in use, and the class of it', async () => {
      await create(1, { resource_class: null });
      const used = { provision_state: 'active', power_state: null, maintenance: true };
      await put(11, { ...used, resource_class: 'gpu' });
      expect(await backfill(1, 11)).toMatchObject({
        ...{ state: 'active', node_uuid: uuidOf(11), resource_class: 'gpu' },
      });
      expect(await inventory.node(uuidOf(11))).toMatchObject({
        ...{ allocation_uuid: uuidOf(1), instance_uuid: uuidOf(1), provision_state: 'active' },
      });
    });

    it('takes a node whose instance has the uuid of the allocation', async () => {
      await create(1);
      await put(11, { provision_state: 'active', instance_uuid: uuidOf(1) });
      expect(await backfill(1, 11)).toMatchObject({ node_uuid: uuidOf(11) });
    });

    it.each<Partial<NodeRecord>>([
      { instance_uuid: MISSING },
      { allocation_uuid: MISSING },
      { reservation: 'host-1' },
      { handover_uuid: MISSING },
      { resource_class: 'gpu' },
    ])('is refused for a node with %j', async (fields) => {
      await create(1);
      await put(11, { provision_state: 'active', ...fields });
      await expect(backfill(1, 11)).rejects.toMatchObject(TAKEN);
    });

    it('is refused for a node that is missing', async () => {
      await create(1);
      await expect(backfill(1, 404)).rejects.toMatchObject(NOT_FOUND);
    });
  });
});
