import { describe, expect, it } from '@jest/globals';
import { createRegistry } from '@tenure/process';
import { memoryStores } from '../testing/empty-stores.js';
import { deregisterConductor, reportConductor } from './conductors.js';
import { counted, measureFleet } from './fleet-metrics.js';

const SILENT = { debug: () => undefined };
const LOGGER = SILENT as unknown as Parameters<typeof measureFleet>[3]; // all that is called

describe('a count of the fleet', () => {
  it('is made anew after ten seconds, and cached for a minute when it cannot be', async () => {
    let second = 0;
    let alive: number | undefined = 3;
    const count = () =>
      alive === undefined ? Promise.reject(new Error('away')) : Promise.resolve({ alive });
    const metrics = counted(count, SILENT, () => second * 1000);
    const at = (moment: number) => {
      second = moment;
      return metrics();
    };
    expect(await at(0)).toEqual({ alive: 3 });
    alive = 4;
    expect(await at(9)).toEqual({ alive: 3 });
    expect(await at(10)).toEqual({ alive: 4 });
    alive = undefined;
    expect(await at(70)).toEqual({ alive: 4 });
    expect(await at(81)).toEqual({});
    alive = 5;
    expect(await at(91)).toEqual({ alive: 5 });
  });
});

describe('the metrics of conductors', () => {
  it('count each as alive, deregistered, or expired when its heartbeats ended without that', async () => {
    const stores = await memoryStores();
    const deps = { stores: { ...stores, clock: () => Promise.resolve(new Date(0)) } };
    const report = (hostname: string, seconds: number) =>
      reportConductor(deps, {
        hostname,
        drivers: ['redfish'],
        conductor_group: '',
        timeout_seconds: seconds,
      });
    for (const hostname of ['c1', 'c2']) await report(hostname, 99);
    for (const hostname of ['c3', 'c4', 'c5']) await report(hostname, 10);
    await deregisterConductor(deps, 'c3');
    const registry = createRegistry('inventory');
    measureFleet(registry, stores, () => new Date(20_000), LOGGER);
    const lines = (await registry.metrics()).replaceAll(',part="inventory"', '').split('\n');
    expect(lines.filter((line) => line.startsWith('tenure_inventory_conductors{'))).toEqual([
      'tenure_inventory_conductors{state="alive"} 2',
      'tenure_inventory_conductors{state="left"} 1',
      'tenure_inventory_conductors{state="expired"} 2',
    ]);
    await stores.close();
  });
});
