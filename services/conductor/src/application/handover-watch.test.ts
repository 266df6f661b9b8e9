import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type HandoverRecord, type NodeRecord, UnavailableError } from '@tenure/contracts';
import { aHandover } from '@tenure/contracts/testing';
import { newCallContext } from '@tenure/signed-context';
import { aNode } from '@tenure/testing';
import { hashBySha512Crypt } from '../adapters/hash-password-crypt.js';
import { orderOf } from '../domain/provision/order.js';
import { ConductorHarness, HOST } from '../testing/conductor-harness.js';
import { aRedfishNode } from '../testing/nodes.js';

const RESET = '/redfish/v1/Systems/1/Actions/ComputerSystem.Reset';

let harness: ConductorHarness;

beforeEach(() => {
  harness = new ConductorHarness();
});
afterEach(() => harness.close());

interface Open {
  readonly node: NodeRecord;
  readonly record: HandoverRecord;
}

/** A node whose handover is open, and that handover. */
function open(node: NodeRecord, fields: Partial<HandoverRecord> = {}): Open {
  const record = aHandover({ uuid: randomUUID(), node_uuid: node.uuid, ...fields });
  harness.inventory.handovers.put(record);
  return { node: harness.inventory.put({ ...node, handover_uuid: record.uuid }), record };
}

async function round(count = 1): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await harness.conductor.handovers.round();
    await harness.idle();
  }
}

const recordNow = ({ record }: Open): HandoverRecord =>
  harness.inventory.handovers.record(record.uuid);
const nodeNow = ({ node }: Open): NodeRecord => harness.inventory.node(node.uuid);

const outcomesIn = ({ steps }: HandoverRecord): Readonly<Record<string, string>> =>
  Object.fromEntries(steps.map(({ step, outcome }) => [step, outcome]));

/** A machine as a tenant left it: deployed, on, with a console, a VIF, an agent's secret and settings of the tenant. */
const used = (fields: Partial<NodeRecord> = {}): NodeRecord =>
  aNode({
    provision_state: 'active',
    power_state: 'power on',
    instance_uuid: randomUUID(),
    console_enabled: true,
    boot_mode: 'bios',
    secure_boot: false,
    driver_internal_info: {
      agent_secret_token: 'secret',
      fake_boot_device: { boot_device: 'cdrom', persistent: true },
      fake_bios: { ProcVirtualization: 'Disabled' },
      custody_before: {
        boot_mode: 'uefi',
        secure_boot: true,
        boot_device: { boot_device: 'disk', persistent: true },
        bios: { ProcVirtualization: 'Enabled' },
      },
    },
    ...fields,
  });

describe('a machine that is handed over', () => {
  it('is cleared of everything that its tenant left, torn down, cleaned, and given on', async () => {
    const handover = open(used());
    const port = harness.parts.put('ports', handover.node.uuid, {
      internal_info: { tenant_vif_port_id: randomUUID() },
    });
    await round();
    expect(harness.parts.port(port.uuid).internal_info).toEqual({});
    expect(nodeNow(handover)).toMatchObject({
      provision_state: 'active',
      power_state: 'power off',
      console_enabled: false,
      boot_mode: 'uefi',
      secure_boot: true,
      reservation: null,
      driver_internal_info: {
        fake_boot_device: { boot_device: 'disk', persistent: true },
        fake_bios: { ProcVirtualization: 'Enabled' },
      },
    });
    expect(Object.keys(nodeNow(handover).driver_internal_info)).not.toContain('custody_before');
    expect(Object.keys(nodeNow(handover).driver_internal_info)).not.toContain('agent_secret_token');
    expect(recordNow(handover)).toMatchObject({ status: 'open', phase: 'cleared' });
    expect(outcomesIn(recordNow(handover))).toEqual({
      agent_secret: 'done',
      power_off: 'done',
      virtual_media: 'nothing_to_do',
      vifs: 'done',
      console: 'done',
      boot_mode: 'done',
      secure_boot: 'done',
      boot_device: 'done',
      bios: 'done',
    });
    expect(recordNow(handover).put_back).toEqual({
      boot_mode: 'uefi',
      secure_boot: true,
      boot_device: { boot_device: 'disk', persistent: true },
      bios: { ProcVirtualization: 'Enabled' },
    });
    await round();
    expect(nodeNow(handover)).toMatchObject({
      provision_state: 'available',
      instance_uuid: null,
      reservation: null,
      handover_uuid: null,
    });
    expect(recordNow(handover)).toMatchObject({
      status: 'complete',
      erased: [{ interface: 'deploy', step: 'clean', outcome: 'done' }],
    });
  });

  it('is cleaned when nothing was deployed', async () => {
    const handover = open(aNode({ provision_state: 'available', power_state: 'power on' }));
    await round(4);
    expect(recordNow(handover)).toMatchObject({ status: 'complete', phase: 'cleaning' });
    expect(nodeNow(handover)).toMatchObject({
      provision_state: 'available',
      power_state: 'power off',
      handover_uuid: null,
    });
  });

  it('keeps what is deployed, switched off, when that is planned', async () => {
    const handover = open(used(), { plan: { undeploy: false, clean: false } });
    await round(2);
    expect(nodeNow(handover)).toMatchObject({
      provision_state: 'active',
      power_state: 'power off',
      handover_uuid: null,
    });
    expect(recordNow(handover).status).toBe('complete');
  });

  it('is waited for while it is locked, or the state machine is at work on it', async () => {
    const handover = open(used({ provision_state: 'deploying', reservation: 'another' }));
    await round();
    harness.inventory.breakLock(handover.node.uuid);
    harness.inventory.put({ ...nodeNow(handover), provision_state: 'clean wait' });
    await round();
    expect(recordNow(handover)).toMatchObject({ status: 'open', phase: null, steps: [] });
  });

  it('is left to the conductor that is responsible for it', async () => {
    const handover = open(used({ conductor_group: 'elsewhere' }));
    await round(2);
    expect(recordNow(handover).phase).toBeNull();
  });

  it('reports the reason without details of the hardware, and is not retried at once', async () => {
    const handover = open(used({ protected: true }));
    await round(4);
    expect(recordNow(handover)).toMatchObject({
      status: 'failed',
      reason: 'The node is protected.',
    });
    expect(nodeNow(handover)).toMatchObject({ reservation: null, provision_state: 'active' });
    expect(harness.outcomes.filter((one) => one === 'handover failed')).toHaveLength(1);
  });
});

describe('a machine that could not be cleaned', () => {
  const uncleaned = (): Open =>
    open(aNode({ provision_state: 'available', driver_info: { fake_failure: 'clean' } }));

  it('stays with its owner, and its record says what failed', async () => {
    const handover = uncleaned();
    await round(5);
    expect(nodeNow(handover)).toMatchObject({ provision_state: 'clean failed' });
    expect(nodeNow(handover).handover_uuid).toBe(handover.record.uuid);
    expect(recordNow(handover)).toMatchObject({
      status: 'failed',
      reason: 'The node could not be cleaned.',
      phase: 'cleared',
    });
    expect(outcomesIn(recordNow(handover))).toMatchObject({ clean: 'failed' });
  });

  it('is not handed over because its owner made it manageable before anybody noticed', async () => {
    const handover = uncleaned();
    await round(3);
    expect(nodeNow(handover)).toMatchObject({ provision_state: 'clean failed' });
    expect(recordNow(handover)).toMatchObject({ status: 'open', phase: 'cleaning' });
    await harness.done(handover.node, { target: 'manage' });
    expect(nodeNow(handover)).toMatchObject({ provision_state: 'manageable' });
    await round(1);
    expect(nodeNow(handover)).toMatchObject({ provision_state: 'clean failed' });
    expect(nodeNow(handover).handover_uuid).toBe(handover.record.uuid);
    expect(recordNow(handover)).toMatchObject({ status: 'open' });
  });
});

describe('an undeployment by the tenant itself', () => {
  it('clears the machine before it is cleaned, and is over when the machine is available', async () => {
    const handover = open(used(), { cause: 'undeploy' });
    await harness.done(handover.node, { target: 'deleted' });
    expect(nodeNow(handover)).toMatchObject({
      provision_state: 'available',
      power_state: 'power off',
      boot_mode: 'uefi',
      handover_uuid: null,
    });
    const record = recordNow(handover);
    expect(record.status).toBe('complete');
    expect(record.steps.map(({ step }) => step)).toEqual([
      'undeploy',
      'agent_secret',
      'power_off',
      'virtual_media',
      'vifs',
      'console',
      'boot_mode',
      'secure_boot',
      'boot_device',
      'bios',
      'clean',
    ]);
  });

  it('cleans the machine once when the inventory answers every call at the second try', async () => {
    const handover = open(used(), { cause: 'undeploy' });
    let calls = 0;
    harness.inventory.handovers.beforeAnswer = () => {
      calls += 1;
      if (calls % 2 === 1) throw new UnavailableError('The inventory is away.');
    };
    await harness.done(handover.node, { target: 'deleted' });
    expect(nodeNow(handover)).toMatchObject({ provision_state: 'available', handover_uuid: null });
    expect(recordNow(handover).status).toBe('complete');
    expect(recordNow(handover).steps.filter(({ step }) => step === 'clean')).toHaveLength(1);
  });

  it('whose machine cannot be cleared fails, and says which step did', async () => {
    const handover = open(used({ driver_info: { fake_failure: 'boot_mode' } }), {
      cause: 'undeploy',
    });
    await harness.done(handover.node, { target: 'deleted' });
    expect(nodeNow(handover)).toMatchObject({ provision_state: 'error' });
    expect(nodeNow(handover).handover_uuid).toBe(handover.record.uuid);
    expect(outcomesIn(recordNow(handover))).toMatchObject({ boot_mode: 'failed' });
    await round(1);
    expect(recordNow(handover).status).toBe('failed');
  });
});

describe('a BMC that fails', () => {
  it('keeps the machine with its owner until it is back; what needs no BMC is done at once', async () => {
    const bmc = await harness.openBmc();
    bmc.power = 'On';
    const handover = open(aRedfishNode(bmc, {}, { power_state: 'power on' }));
    const port = harness.parts.put('ports', handover.node.uuid, {
      internal_info: { tenant_vif_port_id: randomUUID() },
    });
    bmc.faults.refusesAll = true;
    await round();
    expect(recordNow(handover)).toMatchObject({
      status: 'failed',
      reason: 'The hardware of the node could not be cleared.',
      phase: null,
    });
    expect(outcomesIn(recordNow(handover))).toEqual({
      agent_secret: 'nothing_to_do',
      power_off: 'failed',
      vifs: 'done',
    });
    expect(harness.parts.port(port.uuid).internal_info).toEqual({});
    expect(nodeNow(handover)).toMatchObject({ reservation: null });
    expect(nodeNow(handover).handover_uuid).toBe(handover.record.uuid);
    bmc.faults.refusesAll = false;
    // Another life of the conductor does not wait for the next try.
    const next = new ConductorHarness(harness.inventory, harness.parts);
    next.adopt(harness);
    harness = next;
    await round(5);
    expect(recordNow(handover)).toMatchObject({ status: 'complete' });
    expect(bmc.power).toBe('Off');
    expect(nodeNow(handover)).toMatchObject({ power_state: 'power off', handover_uuid: null });
  });
});

describe('settings that a tenant changes', () => {
  const tenants = (node: NodeRecord) => ({
    ...newCallContext('baremetal:node:set_boot_mode'),
    subject: {
      user_id: 'u-1',
      project_id: node.lessee,
      system_scope: null,
      domain_id: null,
      roles: ['member'],
    },
  });

  it('are recorded before the first change, and not again before a later one', async () => {
    const node = harness.inventory.put(
      aNode({ lessee: 'project-l', boot_mode: 'uefi', secure_boot: true }),
    );
    const { changes } = harness.conductor;
    const before = (): unknown => harness.inventory.node(node.uuid).driver_internal_info;
    await changes.accept(tenants(node), node.uuid, { kind: 'boot_mode', target: 'bios' });
    await harness.idle();
    await changes.accept(tenants(node), node.uuid, { kind: 'secure_boot', target: false });
    await harness.idle();
    await changes.accept(tenants(node), node.uuid, { kind: 'boot_mode', target: 'uefi' });
    await harness.idle();
    expect(before()).toEqual({ custody_before: { boot_mode: 'uefi', secure_boot: true } });
  });

  it('are the owner’s own when the owner changes them', async () => {
    const node = harness.inventory.put(aNode({ lessee: 'project-l', boot_mode: 'uefi' }));
    const context = tenants({ ...node, lessee: 'project-a' });
    await harness.conductor.changes.accept(context, node.uuid, {
      kind: 'boot_mode',
      target: 'bios',
    });
    await harness.idle();
    expect(harness.inventory.node(node.uuid).driver_internal_info).toEqual({});
  });

  it('of the BMC are put back there', async () => {
    const bmc = await harness.openBmc();
    const node = harness.inventory.put(aRedfishNode(bmc, {}, { lessee: 'project-l' }));
    const { changes } = harness.conductor;
    await changes.accept(tenants(node), node.uuid, { kind: 'boot_mode', target: 'uefi' });
    await harness.idle();
    const changed = harness.inventory.node(node.uuid);
    expect(changed).toMatchObject({
      boot_mode: 'uefi',
      driver_internal_info: { custody_before: { boot_mode: 'bios' } },
    });
    const handover = open({ ...changed, lessee: null });
    await round();
    expect(nodeNow(handover)).toMatchObject({ boot_mode: 'bios' });
    expect(bmc.machine.bootMode).toBe('Legacy');
    expect(recordNow(handover).put_back).toEqual({ boot_mode: 'bios' });
  });

  const disabling = orderOf(
    {
      target: 'clean',
      clean_steps: [
        {
          interface: 'bios',
          step: 'apply_configuration',
          args: { settings: [{ name: 'ProcVirtualization', value: 'Disabled' }] },
        },
      ],
    },
    109,
    hashBySha512Crypt,
  );
  const leased = (): NodeRecord =>
    harness.inventory.put(aNode({ lessee: 'project-l', provision_state: 'manageable' }));
  const remembered = (node: NodeRecord): unknown =>
    harness.inventory.node(node.uuid).driver_internal_info['custody_before'];

  it('of the BIOS are recorded with the step that changes them', async () => {
    const node = leased();
    await harness.conductor.provision.accept(tenants(node), node.uuid, disabling);
    await harness.idle();
    expect(harness.inventory.node(node.uuid).driver_internal_info).toMatchObject({
      fake_bios: { ProcVirtualization: 'Disabled' },
      custody_before: { bios: { ProcVirtualization: 'Enabled' } },
    });
  });

  it('of the BIOS are recorded when a service orders the step for the tenant', async () => {
    const node = leased();
    const service = { ...newCallContext('os_compute_api:servers:create'), subject: null };
    await harness.conductor.provision.accept(service, node.uuid, disabling);
    await harness.idle();
    expect(remembered(node)).toEqual({ bios: { ProcVirtualization: 'Enabled' } });
  });

  it('of the BIOS are not recorded for an order of the owner', async () => {
    const node = leased();
    const owner = tenants({ ...node, lessee: node.owner });
    await harness.conductor.provision.accept(owner, node.uuid, disabling);
    await harness.idle();
    expect(remembered(node)).toBeUndefined();
  });

  it('of the BIOS are recorded although the step runs after a restart of the conductor', async () => {
    const node = leased();
    const isDead = harness.inventory.dieAfter(2, HOST);
    await harness.conductor.provision.accept(tenants(node), node.uuid, disabling);
    await harness.idle();
    expect(isDead()).toBe(true);
    expect(remembered(node)).toBeUndefined();
    harness.inventory.revive();
    harness.stop();
    await harness.idle();
    const { inventory, parts } = harness;
    harness = new ConductorHarness(inventory, parts);
    await harness.conductor.heartbeat.beat();
    await harness.idle();
    expect(harness.inventory.node(node.uuid)).toMatchObject({ provision_state: 'manageable' });
    expect(remembered(node)).toEqual({ bios: { ProcVirtualization: 'Enabled' } });
  });
});

describe('a conductor that is ended while a machine is switched off for its handover', () => {
  it('has it switched off by one command, however long that takes', async () => {
    const bmc = await harness.openBmc();
    bmc.power = 'On';
    bmc.faults.transitionMs = 1500;
    const handover = open(aRedfishNode(bmc, {}, { power_state: 'power on' }));
    for (let life = 0; life < 3; life += 1) {
      const sent = life === 0 ? bmc.received('POST', RESET) : Promise.resolve();
      await harness.conductor.handovers.round();
      await sent;
      harness = await harness.restarted();
      await harness.conductor.heartbeat.beat();
      await harness.idle();
    }
    await round(3);
    expect(nodeNow(handover)).toMatchObject({ power_state: 'power off', driver_internal_info: {} });
    expect(bmc.resets).toEqual(['ForceOff']);
  });
});

describe('a conductor that dies between any two writes', () => {
  it('leaves a handover that the next one brings to its end', async () => {
    for (let writes = 0; writes < 40; writes += 1) {
      const handover = open(used());
      const isDead = harness.inventory.dieAfter(writes, HOST);
      await round(3);
      const died = isDead();
      harness.inventory.revive();
      expect(recordNow(handover).status === 'complete').toBe(
        nodeNow(handover).handover_uuid === null,
      );
      harness.stop();
      await harness.idle();
      const { inventory, parts } = harness;
      harness = new ConductorHarness(inventory, parts);
      await harness.conductor.heartbeat.beat();
      await harness.idle();
      await round(6);
      expect([writes, recordNow(handover).status]).toEqual([writes, 'complete']);
      expect(nodeNow(handover)).toMatchObject({
        provision_state: 'available',
        power_state: 'power off',
        boot_mode: 'uefi',
        handover_uuid: null,
        reservation: null,
      });
      if (!died) return;
    }
    throw new Error('it never lived through');
  });
});
