import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  complaintsAbout,
  type CrashBench,
  killPart,
  openCrashBench,
} from '../support/crash/crash-bench.js';
import { dieAtEveryStep, type RoundOptions } from '../support/crash/crash-rounds.js';
import { CHANGE_ORDERS } from '../support/crash/fake-change-orders.js';
import { POWER_ORDERS } from '../support/crash/fake-power-orders.js';
import { CLEAN_ORDERS, INSTANCE_ORDERS, MANAGE_ORDERS } from '../support/crash/fake-work-orders.js';
import { type Order } from '../support/crash/orders.js';

// Other parts that may die in the midst of writing: the inventory, both at once, and the conductor again while it recovers.

const ORDERS = [
  ...POWER_ORDERS,
  ...MANAGE_ORDERS,
  ...CLEAN_ORDERS,
  ...INSTANCE_ORDERS,
  ...CHANGE_ORDERS,
];
const named = (...names: readonly string[]): readonly Order[] =>
  ORDERS.filter(({ name }) => names.includes(name));
const WRITTEN = named('soft reboot', 'boot mode', 'clean with steps', 'tear down and clean');
const FEW = named('power on', 'deploy', 'attach a VIF', 'maintenance');

let bench: CrashBench;

beforeAll(async () => {
  bench = await openCrashBench('crash-parts');
});

afterAll(() => bench.stop(), 60_000);

const AGAIN = [
  { n: 1, moment: 'before' },
  { n: 1, moment: 'after' },
  { n: 2, moment: 'before' },
  { n: 2, moment: 'after' },
] as const;

describe('killed at every persisted step', () => {
  it.each<[string, readonly Order[], RoundOptions]>([
    ['the conductor, and again while it recovers', WRITTEN, { again: AGAIN, atOnce: 48 }],
    [
      'the inventory, with a conductor that lives on',
      WRITTEN,
      { victims: 'inventory', atOnce: 48 },
    ],
    ['the conductor and the inventory', FEW, { victims: 'both', atOnce: 48 }],
  ])(
    '%s: finished or failed with a reason, nobody reserved, nothing acknowledged lost',
    async (what, orders, options) => {
      expect(orders.length).toBe(4);
      const { complaints, covered } = await dieAtEveryStep(bench, orders, options);
      process.stdout.write(`${what}: ${String(covered)} points\n`);
      expect(complaints).toEqual([]);
    },
    240_000,
  );
});

describe('a gateway killed between an order and its answer', () => {
  it('leaves the order to the conductor, which carries it out', async () => {
    const attempts = [
      ...named('power on').map((order) => ({ order, point: { n: 1, moment: 'after' as const } })),
      ...named('soft reboot', 'deploy', 'tear down and clean').map((order) => ({
        order,
        point: { n: 2, moment: 'after' as const },
      })),
    ];
    const cases = await bench.begin(attempts);
    expect(await bench.untilStopped(cases)).toHaveLength(4);
    await killPart(bench.tenure, 'gateway');
    bench.proxy.deliver();
    expect(await Promise.all(cases.map(({ answer }) => answer))).toEqual(
      cases.map(() => undefined),
    );
    const nodes = await bench.untilStable(cases);
    const complaints = await Promise.all(
      cases.map((one) =>
        complaintsAbout(bench.tenure, one, nodes.get(one.subject.node.uuid) ?? {}, 'done'),
      ),
    );
    expect(complaints.flat()).toEqual([]);
  }, 90_000);
});
