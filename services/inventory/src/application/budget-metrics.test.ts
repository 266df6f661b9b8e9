import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createRegistry, type Registry } from '@tenure/process';
import { type Stores } from '../ports/stores.js';
import { memoryStores } from '../testing/empty-stores.js';
import { measureBudgets } from './budget-metrics.js';
import { setLimits } from './budgets/quotas.js';
import { createUsage } from './budgets/usage.js';

let stores: Stores;
beforeEach(async () => {
  stores = await memoryStores();
});
afterEach(() => stores.close());

const LOGGER = { debug: () => undefined } as unknown as Parameters<typeof measureBudgets>[2]; // all that is called

const linesOf = async (registry: Registry, name: string): Promise<readonly string[]> =>
  (await registry.metrics())
    .replaceAll(',part="inventory"', '')
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`));

describe('metrics of budgets', () => {
  it('are the total usage, the accounts above 80 % of a limit, and the refusals, by budget', async () => {
    const usage = createUsage({ stores, now: () => new Date(), onRefused: () => undefined });
    const store = (account: string, servers: number) =>
      usage.reserve({ account, charges: { servers } }, { isForced: false });
    await setLimits(stores, 'default', { servers: 10 });
    await setLimits(stores, 'project:p-c', { servers: null });
    await store('project:p-a', 8);
    await store('project:p-b', 9);
    await store('project:p-c', 100);
    const registry = createRegistry('inventory');
    const onRefused = measureBudgets(registry, stores, LOGGER);
    onRefused('bytes');
    onRefused('bytes');
    const used = await linesOf(registry, 'tenure_inventory_quota_used');
    expect(used).toContain('tenure_inventory_quota_used{budget="servers"} 117');
    expect(used).toContain('tenure_inventory_quota_used{budget="leases"} 0');
    const near = await linesOf(registry, 'tenure_inventory_quota_near_limit');
    expect(near).toContain('tenure_inventory_quota_near_limit{budget="servers"} 1');
    expect(near).toContain('tenure_inventory_quota_near_limit{budget="bytes"} 0');
    expect(await linesOf(registry, 'tenure_inventory_quota_refusals_total')).toEqual([
      'tenure_inventory_quota_refusals_total{budget="bytes"} 2',
    ]);
  });
});
