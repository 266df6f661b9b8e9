import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Stores } from '../ports/stores.js';
import { memoryStores } from '../testing/empty-stores.js';
import { makeNode, uuidOf } from '../testing/fixtures.js';
import { rewriteOf } from './rewrite-records.js';

let stores: Stores;
beforeEach(async () => {
  stores = await memoryStores();
  await stores.nodes.insert((epoch) => makeNode({ uuid: uuidOf(1), owner: 'p-a' }, epoch));
  await stores.nodes.insert((epoch) => makeNode({ uuid: uuidOf(2), owner: null }, epoch));
});
afterEach(() => stores.close());

const target = (number: number, values: Readonly<Record<string, unknown>>) =>
  stores.resources.volume_targets.insert((epoch) => ({
    uuid: uuidOf(number),
    node_uuid: uuidOf(1),
    boot_index: number,
    volume_id: `v-${String(number)}`,
    created_at: '2026-11-21T08:00:00+00:00',
    updated_at: null,
    ...values,
    revision: epoch,
  }));

describe('the migration to budgets', () => {
  it('charges volumes to the tenant that attached them, or to the owner of the node, and counts them', async () => {
    await target(11, {});
    await target(12, { tenant: 'p-b' });
    await target(13, { node_uuid: uuidOf(2) });
    await target(14, { node_uuid: uuidOf(9) });
    await target(15, { charged_to: 'p-c' });
    const payers = async () =>
      Promise.all(
        [11, 12, 13, 14, 15].map(
          async (number) =>
            (await stores.resources.volume_targets.findBy('uuid', uuidOf(number)))?.charged_to,
        ),
      );
    const used = async (project: string) =>
      (await stores.usage.findBy('uuid', `project:${project}`))?.used.volume_targets;
    // A repeated migration has the same result.
    for (let run = 0; run < 2; run += 1) {
      await rewriteOf(stores)(4);
      expect(await payers()).toEqual(['p-a', 'p-b', null, null, 'p-c']);
      expect(await Promise.all(['p-a', 'p-b', 'p-c'].map(used))).toEqual([1, 1, 1]);
    }
  });
});
