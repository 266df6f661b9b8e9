import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConductorProcess } from '../support/crash/conductor-process.js';
import {
  type Case,
  complaintsAbout,
  type CrashBench,
  type Node,
  openCrashBench,
  type Attempt,
} from '../support/crash/crash-bench.js';
import { dieOnce } from '../support/crash/crash-rounds.js';
import { CHANGE_ORDERS } from '../support/crash/fake-change-orders.js';
import { POWER_ORDERS } from '../support/crash/fake-power-orders.js';
import { CLEAN_ORDERS, INSTANCE_ORDERS } from '../support/crash/fake-work-orders.js';
import { type Order } from '../support/crash/orders.js';
import { REDFISH_POWER_ORDERS, REDFISH_WORK_ORDERS } from '../support/crash/redfish-orders.js';
import { freePort } from '../support/processes.js';
import { eventually } from '../support/wait.js';

// Two conductors. The one that has the orders dies and stays dead, or is frozen for longer than its heartbeat is good for
// and wakes up again: the other finishes its work, and the lock, which is fenced, keeps the first from touching anything.

const TIMEOUT = { CONDUCTOR_HEARTBEAT_TIMEOUT_SECONDS: '5' };
const FAKE_ORDERS = [...POWER_ORDERS, ...CLEAN_ORDERS, ...INSTANCE_ORDERS, ...CHANGE_ORDERS];
const REDFISH_ORDERS = [...REDFISH_POWER_ORDERS, ...REDFISH_WORK_ORDERS];

function orderOf(name: string): Order {
  const found = [...FAKE_ORDERS, ...REDFISH_ORDERS].find((order) => order.name === name);
  if (found === undefined) throw new Error(`no order ${name}`);
  return found;
}

let bench: CrashBench;
let other: ConductorProcess;

beforeAll(async () => {
  bench = await openCrashBench('crash-takeover', TIMEOUT);
  const { tenure } = bench;
  const inventoryUrl = `http://127.0.0.1:${String(tenure.ports.inventory)}`;
  const port = await freePort();
  other = new ConductorProcess(tenure, { hostname: 'crash-takeover-2', port, inventoryUrl });
  await other.start();
});

afterAll(async () => {
  bench.conductor.signal('SIGCONT');
  await other.kill();
  await bench.stop();
}, 60_000);

/** Where the first conductor is when it is stopped: its write is done, and it has no answer yet. */
const answered = (name: string, n: number): Attempt => ({
  order: orderOf(name),
  point: { n, moment: 'after' },
});
/** As before, with a write that the inventory never had. */
const unasked = (name: string, n: number): Attempt => ({
  order: orderOf(name),
  point: { n, moment: 'before' },
});

const LEFT = [
  answered('power on', 1),
  answered('soft reboot', 2),
  unasked('soft reboot', 3),
  answered('tear down and clean', 1),
  answered('tear down and clean', 2),
  unasked('tear down and clean', 4),
  answered('clean with steps', 4),
  answered('clean with steps', 6),
  unasked('attach a VIF', 3),
  answered('attach a VIF', 3),
  unasked('maintenance', 2),
  answered('boot mode', 2),
];

describe('a conductor that died for good', () => {
  it('is succeeded by another, which finishes the persisted orders', async () => {
    const { complaints, covered } = await dieOnce(bench, LEFT, { isSucceeded: true });
    process.stdout.write(`taken over: ${String(covered)} points\n`);
    expect(complaints).toEqual([]);
    expect(covered).toBe(LEFT.length);
  }, 180_000);
});

const FROZEN = [
  // The lock was just taken: what comes next is a command.
  answered('redfish power on', 1),
  answered('redfish reboot', 2),
  // Off is done; on comes next.
  answered('redfish reboot', 3),
  unasked('redfish reboot', 3),
  answered('redfish deploy', 3),
  unasked('redfish deploy', 5),
  answered('redfish tear down', 3),
  unasked('redfish tear down', 4),
];

const commandsOf = (cases: readonly Case[]): readonly string[] =>
  cases.flatMap(({ subject }) =>
    (subject.bmc?.requests ?? [])
      .filter(({ method, path }) => method !== 'GET' && !path.includes('/SessionService/'))
      .map(({ method, path }) => `${subject.order.name}: ${method} ${path}`),
  );

/** When each node was written for the last time. */
const timesOf = (nodes: ReadonlyMap<string, Node>): ReadonlyMap<string, unknown> =>
  new Map([...nodes].map(([uuid, { updated_at: time }]) => [uuid, time]));

describe('a conductor that was frozen, and lost its locks meanwhile', () => {
  it('writes nothing and sends nothing when it wakes up', async () => {
    const { proxy, conductor, tenure } = bench;
    const cases = await bench.begin(FROZEN);
    expect(await bench.untilStopped(cases)).toHaveLength(cases.length);
    conductor.signal('SIGSTOP');
    proxy.deliver();

    const stable = await bench.untilStable(cases);
    const sent = commandsOf(cases);
    const written = cases.map(({ watch }) => watch.writes.length);
    const heartbeats = proxy.heartbeats;
    conductor.signal('SIGCONT');
    // In this time it would have continued.
    await eventually(
      () => proxy.heartbeats - heartbeats,
      (count) => count >= 5,
      { what: 'heartbeats of the conductor that woke up' },
    );

    expect(commandsOf(cases)).toEqual(sent);
    const after = cases.flatMap(({ watch }, index) => watch.writes.slice(written[index]));
    expect(after.filter(({ status }) => status !== 409)).toEqual([]);
    expect(after.length).toBeGreaterThan(0);
    expect(timesOf(await bench.untilStable(cases))).toEqual(timesOf(stable));
    const complaints = await Promise.all(
      cases.map((one) =>
        complaintsAbout(tenure, one, stable.get(one.subject.node.uuid) ?? {}, 'done'),
      ),
    );
    expect(complaints.flat()).toEqual([]);
  }, 120_000);
});
