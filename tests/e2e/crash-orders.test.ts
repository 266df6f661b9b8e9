import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CrashBench, openCrashBench } from '../support/crash/crash-bench.js';
import { dieAtEveryStep } from '../support/crash/crash-rounds.js';
import { CHANGE_ORDERS } from '../support/crash/fake-change-orders.js';
import { POWER_ORDERS } from '../support/crash/fake-power-orders.js';
import { CLEAN_ORDERS, INSTANCE_ORDERS, MANAGE_ORDERS } from '../support/crash/fake-work-orders.js';

// A conductor is killed with SIGKILL at every write that an order makes, before the inventory has it and after, and is
// started again. An order that was persisted is carried out; any other has no effect.

let bench: CrashBench;

beforeAll(async () => {
  bench = await openCrashBench('crash-orders');
});

afterAll(() => bench.stop(), 60_000);

describe('a conductor killed at every persisted step', () => {
  it.each([
    ['power', POWER_ORDERS],
    ['managing and inspecting', MANAGE_ORDERS],
    ['cleaning', CLEAN_ORDERS],
    ['deploying, tearing down, rescuing and servicing', INSTANCE_ORDERS],
    ['settings, VIFs and maintenance', CHANGE_ORDERS],
  ])(
    '%s: finished or failed with a reason, nobody reserved, nothing acknowledged lost',
    async (what, orders) => {
      const { complaints, covered } = await dieAtEveryStep(bench, orders);
      process.stdout.write(`${what}: ${String(covered)} points\n`);
      expect(complaints).toEqual([]);
    },
    180_000,
  );
});
