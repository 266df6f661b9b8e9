import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CrashBench, openCrashBench } from '../support/crash/crash-bench.js';
import { dieAtEveryStep } from '../support/crash/crash-rounds.js';
import { REDFISH_POWER_ORDERS, REDFISH_WORK_ORDERS } from '../support/crash/redfish-orders.js';

// As for simulated hardware, with a BMC that keeps count: no command is sent twice because a conductor died.

let bench: CrashBench;

beforeAll(async () => {
  bench = await openCrashBench('crash-redfish');
});

afterAll(() => bench.stop(), 60_000);

describe('a conductor killed at every persisted step of work on a BMC', () => {
  it.each([
    ['power', REDFISH_POWER_ORDERS],
    ['inspecting, cleaning, deploying and tearing down', REDFISH_WORK_ORDERS],
  ])(
    '%s: each command is sent once',
    async (what, orders) => {
      const { complaints, covered } = await dieAtEveryStep(bench, orders);
      process.stdout.write(`${what}: ${String(covered)} points\n`);
      expect(complaints).toEqual([]);
    },
    180_000,
  );
});
