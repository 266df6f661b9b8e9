import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type NodeRecord, UnavailableError } from '@tenure/contracts';
import { newCallContext } from '@tenure/signed-context';
import { aNode, FakeInventory } from '@tenure/testing';
import { ConductorHarness, HOST } from '../testing/conductor-harness.js';
import { FakeParts } from '../testing/fake-parts.js';
import { aRedfishNode } from '../testing/nodes.js';
import { aboutNode } from './about-node.js';

const OTHER = 'conductor-2';

let inventory: FakeInventory;
let parts: FakeParts;
let opened: ConductorHarness[];
let first: ConductorHarness;
let second: ConductorHarness;

function open(hostname: string, conductorGroup = ''): ConductorHarness {
  const harness = new ConductorHarness(inventory, parts, { hostname, conductorGroup });
  opened.push(harness);
  return harness;
}

beforeEach(async () => {
  inventory = new FakeInventory();
  parts = new FakeParts(inventory);
  opened = [];
  first = open(HOST);
  second = open(OTHER);
  for (const harness of opened) await harness.conductor.heartbeat.beat();
});

afterEach(async () => {
  inventory.unheard.clear();
  for (const harness of opened) await harness.close();
});

/** The first conductor's process ends, in the middle of whatever it does. */
async function kill(): Promise<void> {
  first.stop();
  inventory.unheard.add(HOST);
  await first.idle();
}

/** Nothing of the first conductor reaches the inventory, but it goes on. */
function cutOff(): void {
  inventory.unheard.add(HOST);
}

const look = (harness = second): Promise<void> => harness.conductor.orphans.round();

async function lookTwice(harness = second): Promise<void> {
  await look(harness);
  await look(harness);
}

const slow = (fields: Partial<NodeRecord> = {}): NodeRecord =>
  inventory.put(aNode({ driver_info: { fake_delay_ms: 250 }, ...fields }));

/** A node that the first conductor reserved, and does not work on. */
const left = (fields: Partial<NodeRecord> = {}): NodeRecord =>
  inventory.put(aNode({ reservation: HOST, fence: 3, ...fields }));

const DONE = { reservation: null, last_error: null };

describe('when a conductor is killed', () => {
  it('in the middle of a power command, another finishes it', async () => {
    const node = slow();
    await first.accept(node, 'power on');
    await kill();
    expect(inventory.node(node.uuid)).toMatchObject({ reservation: HOST, fence: 1 });
    await look();
    expect(inventory.node(node.uuid)).toMatchObject({ reservation: HOST, fence: 1 });
    await look();
    expect(inventory.node(node.uuid)).toMatchObject({ reservation: OTHER, fence: 2 });
    expect(await second.completed(node)).toMatchObject({
      ...DONE,
      power_state: 'power on',
      target_power_state: null,
    });
  });

  it.each([
    ['available', 'active', 'deploying', 'active'],
    ['active', 'deleted', 'deleting', 'available'],
    ['manageable', 'provide', 'cleaning', 'available'],
    ['active', 'rescue', 'rescuing', 'rescue'],
  ])(
    'in the middle of what leads a node from %s by %s, another finishes it',
    async (provision_state, target, busy, reached) => {
      const node = slow({ provision_state });
      const password = target === 'rescue' && { rescue_password: 'secret' };
      await first.provision(node, { target, ...password });
      await kill();
      expect(inventory.node(node.uuid)).toMatchObject({
        reservation: HOST,
        provision_state: busy,
      });
      await lookTwice();
      expect(await second.completed(node)).toMatchObject({
        ...DONE,
        provision_state: reached,
        target_provision_state: null,
      });
    },
  );

  it('in the middle of another change, another finishes it', async () => {
    const node = slow();
    const context = aboutNode(newCallContext('baremetal:node:set_console_state'), node);
    await first.conductor.changes.accept(context, node.uuid, { kind: 'console', enabled: true });
    await kill();
    expect(inventory.node(node.uuid).console_enabled).toBe(false);
    await lookTwice();
    expect(await second.completed(node)).toMatchObject({ ...DONE, console_enabled: true });
  });

  it('what cannot be finished fails with the reason', async () => {
    const busy = left({ provision_state: 'deploying' });
    const ordered = left({ target_power_state: 'rebooting' });
    await kill();
    await lookTwice();
    expect(await second.completed(busy)).toMatchObject({
      reservation: null,
      provision_state: 'deploy failed',
    });
    expect(inventory.node(ordered.uuid)).toMatchObject({
      reservation: null,
      last_error: "The power command 'rebooting' was interrupted.",
    });
  });

  it('the others take over its nodes, each those that fall to it, and nothing stays reserved', async () => {
    const third = open('conductor-3');
    const nodes = Array.from({ length: 40 }, () => left());
    await kill();
    await third.conductor.heartbeat.beat();
    for (const harness of [second, third, second, third]) await look(harness);
    expect(nodes.filter(({ uuid }) => inventory.node(uuid).reservation !== null)).toEqual([]);
    const taken = [second, third].map(
      ({ lines }) => lines.filter((line) => line.includes('took over the lock')).length,
    );
    expect(Math.min(...taken)).toBeGreaterThan(5);
    expect(taken.reduce((sum, count) => sum + count)).toBe(40);
  });

  it('a lock whose take-over was not answered is found by the next heartbeat', async () => {
    const node = left();
    await kill();
    await look();
    const takeOver = inventory.takeOver.bind(inventory);
    inventory.takeOver = async (...args) => {
      await takeOver(...args);
      throw new UnavailableError('The inventory service did not answer.');
    };
    await expect(look()).rejects.toMatchObject({ status: 503 });
    expect(inventory.node(node.uuid)).toMatchObject({ reservation: OTHER, fence: 4 });
    await second.conductor.heartbeat.beat();
    expect(inventory.node(node.uuid)).toMatchObject({ reservation: null, fence: 4 });
  });
});

describe('a lock is left alone', () => {
  it('while its conductor is alive', async () => {
    const node = left();
    await lookTwice();
    expect(inventory.node(node.uuid)).toEqual(node);
  });

  it('when its conductor is back before a second look', async () => {
    const node = left();
    cutOff();
    await look();
    inventory.unheard.clear();
    await look();
    expect(inventory.node(node.uuid)).toEqual(node);
  });

  it('when its holder never reported: nobody knows that it is dead', async () => {
    const node = left({ reservation: 'elsewhere' });
    inventory.unheard.add('elsewhere');
    await lookTwice();
    expect(inventory.node(node.uuid)).toEqual(node);
  });

  it('when the node is for conductors of another group', async () => {
    const node = left({ conductor_group: 'rack' });
    await kill();
    await lookTwice();
    expect(inventory.node(node.uuid)).toEqual(node);
    const third = open('conductor-3', 'rack');
    await lookTwice(third);
    expect(inventory.node(node.uuid)).toMatchObject({ reservation: null, fence: 4 });
  });
});

describe('a conductor that comes back after its lock was taken over', () => {
  it('changes no power any more', async () => {
    const bmc = await first.openBmc();
    bmc.power = 'On';
    bmc.faults.transitionMs = 100;
    const node = inventory.put(aRedfishNode(bmc, {}, { power_state: 'power on' }));
    await first.accept(node, 'rebooting');
    cutOff();
    await lookTwice();
    expect(await second.completed(node)).toMatchObject({ ...DONE, power_state: 'power on' });
    const sent = [...bmc.resets];
    const after = inventory.node(node.uuid);
    inventory.unheard.clear();
    await first.idle();
    expect(first.outcomes).toEqual(['redfish lock_lost']);
    expect(bmc.resets).toEqual(sent);
    expect(inventory.node(node.uuid)).toEqual(after);
  });

  it('cannot write what it did', async () => {
    const node = slow();
    await first.provision(node, { target: 'active' });
    cutOff();
    await lookTwice();
    expect(await second.completed(node)).toMatchObject({ ...DONE, provision_state: 'active' });
    const after = inventory.node(node.uuid);
    inventory.unheard.clear();
    await first.idle();
    expect(first.lines.filter((line) => line.includes('the lock was lost'))).toHaveLength(1);
    expect(inventory.node(node.uuid)).toEqual(after);
    await first.conductor.heartbeat.beat();
    expect(await first.completed(node)).toEqual(after);
  });
});
