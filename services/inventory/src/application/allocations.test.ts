import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type StoredAllocation, type Stores } from '../ports/stores.js';
import { memoryStores } from '../testing/empty-stores.js';
import { makeNode, uuidOf } from '../testing/fixtures.js';
import { seesAll } from '../testing/test-app.js';
import { claimNode, removeAllocation } from './allocations.js';

let stores: Stores;
beforeEach(async () => {
  stores = await memoryStores();
});
afterEach(() => stores.close());

const now = (): Date => new Date('2026-11-21T08:00:00Z');

const allocation = (values: Partial<StoredAllocation> = {}): Promise<StoredAllocation> =>
  stores.allocations.insert((epoch) => ({
    uuid: uuidOf(1),
    name: null,
    owner: null,
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
  }));
const freeNode = () =>
  stores.nodes.insert((epoch) =>
    makeNode({ uuid: uuidOf(2), provision_state: 'available', power_state: 'power off' }, epoch),
  );

const node2 = { uuid: uuidOf(2), backfill: false };
const context = { obligations: seesAll };

/** The stores, with something happening right after a node was written. */
function disturbed(disturb: () => Promise<unknown>): Pick<Stores, 'nodes' | 'allocations'> {
  let done = false;
  const nodes = {
    ...stores.nodes,
    swap: async (...written: Parameters<Stores['nodes']['swap']>) => {
      const won = await stores.nodes.swap(...written);
      if (!done) {
        done = true;
        await disturb();
      }
      return won;
    },
  };
  return { nodes, allocations: stores.allocations };
}

describe('a claim', () => {
  it('releases its node when the allocation was removed meanwhile', async () => {
    const wanted = await allocation();
    await freeNode();
    const during = disturbed(() => stores.allocations.remove(wanted.uuid, wanted.revision, 1));
    await expect(claimNode({ stores: during, now }, wanted, node2)).rejects.toMatchObject({
      status: 404,
    });
    expect(await stores.nodes.findBy('uuid', uuidOf(2))).toMatchObject({
      instance_uuid: null,
      allocation_uuid: null,
    });
  });

  it('releases its node when the allocation failed meanwhile', async () => {
    const wanted = await allocation();
    await freeNode();
    const failed: StoredAllocation = { ...wanted, state: 'error', revision: wanted.revision + 1 };
    const during = disturbed(() => stores.allocations.swap(failed, wanted.revision));
    await expect(claimNode({ stores: during, now }, wanted, node2)).rejects.toMatchObject({
      code: 'allocation_failed',
    });
    expect(await stores.nodes.findBy('uuid', uuidOf(2))).toMatchObject({ allocation_uuid: null });
  });
});

describe('a removal', () => {
  it('releases a node that was claimed meanwhile too', async () => {
    const wanted = await allocation();
    await freeNode();
    await claimNode({ stores, now }, wanted, node2);
    // `wanted` is from before the claim: its revision is no longer the stored one
    await removeAllocation({ stores, now }, wanted, context);
    expect(await stores.allocations.findBy('uuid', uuidOf(1))).toBeUndefined();
    expect(await stores.nodes.findBy('uuid', uuidOf(2))).toMatchObject({ allocation_uuid: null });
  });

  it('changes nothing when the node must keep it', async () => {
    const allocated = await allocation({ state: 'active', node_uuid: uuidOf(2) });
    const node = await stores.nodes.insert((epoch) =>
      makeNode(
        {
          uuid: uuidOf(2),
          provision_state: 'active',
          allocation_uuid: uuidOf(1),
          instance_uuid: uuidOf(1),
        },
        epoch,
      ),
    );
    await expect(removeAllocation({ stores, now }, allocated, context)).rejects.toMatchObject({
      code: 'node_in_use',
    });
    expect(await stores.nodes.findBy('uuid', uuidOf(2))).toEqual(node);
    expect(await stores.allocations.findBy('uuid', uuidOf(1))).toEqual(allocated);
  });
});
