import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { deadlineIn } from '@tenure/process';
import { newCallContext } from '@tenure/signed-context';
import { aNode } from '@tenure/testing';
import { ConductorHarness, HOST } from '../testing/conductor-harness.js';
import { aRedfishNode } from '../testing/nodes.js';
import { proveLock } from './locked-write.js';

const RESET = '/redfish/v1/Systems/1/Actions/ComputerSystem.Reset';

let harness: ConductorHarness;

beforeEach(() => {
  harness = new ConductorHarness();
});

afterEach(async () => {
  await harness.close();
});

describe('after a crash', () => {
  it('an acknowledged order is carried out by the next life', async () => {
    const bmc = await harness.openBmc();
    const node = harness.inventory.put(
      aRedfishNode(bmc, {}, { reservation: HOST, fence: 4, target_power_state: 'power on' }),
    );
    await harness.conductor.heartbeat.beat();
    expect(await harness.completed(node)).toMatchObject({
      power_state: 'power on',
      target_power_state: null,
      reservation: null,
      last_error: null,
    });
    expect(bmc.resets).toEqual(['On']);
  });

  it('an order whose machine takes its time is never sent twice', async () => {
    const bmc = await harness.openBmc();
    bmc.faults.transitionMs = 1500;
    const node = harness.inventory.put(aRedfishNode(bmc));
    await harness.accept(node, 'power on');
    await bmc.received('POST', RESET);
    for (let life = 0; life < 3; life += 1) {
      harness = await harness.restarted();
      await harness.conductor.heartbeat.beat();
    }
    expect(await harness.completed(node)).toMatchObject({
      power_state: 'power on',
      reservation: null,
      last_error: null,
      driver_internal_info: { last_power_state_change: expect.anything() },
    });
    expect(bmc.resets).toEqual(['On']);
  });

  it('an order that was sent and had no effect fails, and is not sent again', async () => {
    const bmc = await harness.openBmc();
    const pending_power = { target: 'power on', timeout: 1, steps_done: 0, sent: true };
    const node = harness.inventory.put(
      aRedfishNode(
        bmc,
        {},
        {
          reservation: HOST,
          target_power_state: 'power on',
          driver_internal_info: { pending_power },
        },
      ),
    );
    await harness.conductor.heartbeat.beat();
    expect(await harness.completed(node)).toMatchObject({
      power_state: 'power off',
      target_power_state: null,
      reservation: null,
      driver_internal_info: {},
      last_error:
        "Failed to change power state to 'power on'. Error: the BMC took the command, but the node did not reach 'power on' in time.",
    });
    expect(bmc.resets).toEqual([]);
  });

  it('a reboot whose first half was done is not begun again', async () => {
    const bmc = await harness.openBmc();
    bmc.power = 'On';
    const node = harness.inventory.put(
      aRedfishNode(
        bmc,
        {},
        {
          reservation: HOST,
          target_power_state: 'power on',
          driver_internal_info: {
            pending_power: { target: 'rebooting', timeout: null, steps_done: 1 },
          },
        },
      ),
    );
    await harness.conductor.heartbeat.beat();
    expect(await harness.completed(node)).toMatchObject({
      power_state: 'power on',
      reservation: null,
      last_error: null,
    });
    expect(bmc.resets).toEqual([]);
  });

  it('a reboot that had not begun is done whole', async () => {
    const bmc = await harness.openBmc();
    bmc.power = 'On';
    const node = harness.inventory.put(
      aRedfishNode(
        bmc,
        {},
        {
          reservation: HOST,
          target_power_state: 'power on',
          driver_internal_info: {
            pending_power: { target: 'soft rebooting', timeout: null, steps_done: 0 },
          },
        },
      ),
    );
    await harness.conductor.heartbeat.beat();
    await harness.completed(node);
    expect(bmc.resets).toEqual(['GracefulShutdown', 'On']);
  });

  it('a node that was reserved for something else is released', async () => {
    const node = harness.inventory.put(aNode({ reservation: HOST, fence: 2 }));
    await harness.conductor.heartbeat.beat();
    expect(harness.inventory.node(node.uuid).reservation).toBeNull();
  });

  it("another conductor's node is left alone", async () => {
    const node = harness.inventory.put(
      aNode({ reservation: 'conductor-2', target_power_state: 'power on' }),
    );
    await harness.conductor.heartbeat.beat();
    expect(await harness.completed(node)).toMatchObject({
      reservation: 'conductor-2',
      target_power_state: 'power on',
    });
  });

  it('work that a stop interrupted stays reserved and is resumed by the next life', async () => {
    const node = harness.inventory.put(aNode({ driver_info: { fake_delay_ms: 500 } }));
    await harness.accept(node, 'power on');
    harness.stop();
    expect(await harness.completed(node)).toMatchObject({
      reservation: HOST,
      target_power_state: 'power on',
      power_state: 'power off',
    });
    harness = new ConductorHarness(harness.inventory);
    await harness.conductor.heartbeat.beat();
    expect(await harness.completed(node)).toMatchObject({
      reservation: null,
      target_power_state: null,
      power_state: 'power on',
    });
  });
});

describe('a reservation in our name that nothing here works on', () => {
  const orphans = (): Promise<void> => harness.conductor.orphans.round();

  it('is resumed when a second look finds it too', async () => {
    const bmc = await harness.openBmc();
    await harness.conductor.heartbeat.beat();
    const node = harness.inventory.put(
      aRedfishNode(bmc, {}, { reservation: HOST, fence: 4, target_power_state: 'power on' }),
    );
    await harness.conductor.heartbeat.beat();
    await orphans();
    expect(await harness.completed(node)).toEqual(node);
    await orphans();
    expect(await harness.completed(node)).toMatchObject({
      power_state: 'power on',
      target_power_state: null,
      reservation: null,
      last_error: null,
    });
    expect(bmc.resets).toEqual(['On']);
  });

  it('is released when nothing was ordered', async () => {
    const node = harness.inventory.put(aNode({ reservation: HOST }));
    await orphans();
    await orphans();
    expect(harness.inventory.node(node.uuid)).toMatchObject({
      reservation: null,
      last_error: null,
    });
  });

  it('is released with the reason when its order cannot be carried out', async () => {
    const node = harness.inventory.put(
      aNode({ reservation: HOST, target_power_state: 'rebooting' }),
    );
    await orphans();
    await orphans();
    expect(harness.inventory.node(node.uuid)).toMatchObject({
      reservation: null,
      target_power_state: null,
      power_state: 'power off',
      last_error: "The power command 'rebooting' was interrupted.",
    });
  });

  it('ends in the true state when the machine does not react', async () => {
    const bmc = await harness.openBmc();
    bmc.faults.resetIgnored = true;
    const node = harness.inventory.put(
      aRedfishNode(
        bmc,
        {},
        { reservation: HOST, target_power_state: 'power on', power_state: 'power on' },
      ),
    );
    await orphans();
    await orphans();
    const after = await harness.completed(node);
    expect(after).toMatchObject({
      reservation: null,
      target_power_state: null,
      power_state: 'power off',
    });
    expect(after.last_error).toMatch(/^Failed to change power state to 'power on'\. Error: /u);
  });

  it("is left alone while it is worked on, and another conductor's always", async () => {
    const node = harness.inventory.put(aNode({ driver_info: { fake_delay_ms: 200 } }));
    const other = harness.inventory.put(aNode({ reservation: 'conductor-2' }));
    await harness.accept(node, 'power on');
    await orphans();
    await orphans();
    expect(harness.inventory.node(node.uuid)).toMatchObject({ reservation: HOST });
    expect(harness.inventory.node(other.uuid)).toEqual(other);
    await harness.completed(node);
    expect(harness.outcomes).toEqual(['fake-hardware done']);
  });

  it('is looked at twice again after another lock, and after a look that failed', async () => {
    const node = harness.inventory.put(aNode({ reservation: HOST, fence: 1 }));
    await orphans();
    harness.inventory.put({ ...node, fence: 2 });
    await orphans();
    harness.inventory.away = true;
    await expect(orphans()).rejects.toMatchObject({ status: 503 });
    harness.inventory.away = false;
    await orphans();
    expect(harness.inventory.node(node.uuid).reservation).toBe(HOST);
    await orphans();
    expect(harness.inventory.node(node.uuid).reservation).toBeNull();
  });
});

describe('when the inventory is away', () => {
  it('a result is written as soon as it is back', async () => {
    const node = harness.inventory.put(aNode({ driver_info: { fake_delay_ms: 50 } }));
    await harness.accept(node, 'power on');
    harness.inventory.away = true;
    setTimeout(() => {
      harness.inventory.away = false;
    }, 300);
    expect(await harness.completed(node)).toMatchObject({
      power_state: 'power on',
      reservation: null,
    });
  });

  it('a reboot waits for it between its halves', async () => {
    const bmc = await harness.openBmc();
    bmc.power = 'On';
    bmc.faults.transitionMs = 100;
    const node = harness.inventory.put(aRedfishNode(bmc, {}, { power_state: 'power on' }));
    await harness.accept(node, 'rebooting');
    harness.inventory.away = true;
    setTimeout(() => {
      harness.inventory.away = false;
    }, 300);
    expect(await harness.completed(node)).toMatchObject({
      power_state: 'power on',
      last_error: null,
    });
    expect(bmc.resets).toEqual(['ForceOff', 'On']);
  });

  it('nothing is acknowledged', async () => {
    const node = harness.inventory.put(aNode());
    harness.inventory.away = true;
    await expect(harness.accept(node, 'power on')).rejects.toMatchObject({ status: 503 });
  });

  it('the conductor says so, and recovers when it is back', async () => {
    harness.inventory.away = true;
    await harness.conductor.heartbeat.beat();
    expect(harness.conductor.heartbeat.isInventoryReachable()).toBe(false);
    harness.inventory.away = false;
    const node = harness.inventory.put(
      aNode({ reservation: HOST, target_power_state: 'power on' }),
    );
    await harness.conductor.heartbeat.beat();
    expect(harness.conductor.heartbeat.isInventoryReachable()).toBe(true);
    expect(await harness.completed(node)).toMatchObject({
      power_state: 'power on',
      reservation: null,
    });
    expect(harness.inventory.reports).toMatchObject([
      {
        hostname: HOST,
        drivers: ['fake-hardware', 'redfish'],
        conductor_group: '',
        interfaces: {
          'fake-hardware': { raid: { default: 'fake', enabled: ['fake', 'no-raid'] } },
          redfish: {
            console: { default: 'no-console', enabled: ['no-console', 'redfish-serial'] },
          },
        },
      },
    ]);
  });
});

describe('when the lock is lost', () => {
  it('a reboot stops before its second command', async () => {
    const bmc = await harness.openBmc();
    bmc.power = 'On';
    bmc.faults.transitionMs = 100;
    const node = harness.inventory.put(aRedfishNode(bmc, {}, { power_state: 'power on' }));
    await harness.accept(node, 'rebooting');
    harness.inventory.breakLock(node.uuid);
    const after = await harness.completed(node);
    expect(bmc.resets).toEqual(['ForceOff']);
    expect(after).toMatchObject({ reservation: null, target_power_state: 'power on' });
    expect(harness.outcomes).toEqual(['redfish lock_lost']);
  });

  it('a command is not sent a second after the last proof', async () => {
    const node = harness.inventory.put(aNode());
    const { locks } = harness.conductor;
    const lock = await locks.take(newCallContext('baremetal:node:set_power_state'), node.uuid);
    harness.inventory.breakLock(node.uuid);
    await sleep(1100);
    await expect(proveLock({ lock, deadline: deadlineIn(10_000) })).rejects.toMatchObject({
      code: 'lock_lost',
    });
    lock.abandon();
  });

  it('a resumed order is not carried out', async () => {
    const bmc = await harness.openBmc();
    const node = aRedfishNode(
      bmc,
      {},
      { reservation: HOST, target_power_state: 'power on', fence: 3 },
    );
    harness.inventory.put({ ...node, fence: 4 });
    const lock = harness.conductor.locks.adopt(newCallContext('tenure:conductor:recover'), node);
    harness.conductor.power.resume(lock, {
      target: 'power on',
      timeoutSeconds: null,
      stepsDone: 0,
      resumed: 0,
      isSent: false,
    });
    await harness.conductor.power.idle();
    expect(bmc.requests).toEqual([]);
  });
});
