import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type HandoverRecord, type NodeRecord } from '@tenure/contracts';
import { aHandover } from '@tenure/contracts/testing';
import { newCallContext } from '@tenure/signed-context';
import { hashBySha512Crypt } from '../adapters/hash-password-crypt.js';
import { orderOf } from '../domain/provision/order.js';
import { ConductorHarness } from '../testing/conductor-harness.js';
import { aRedfishNode } from '../testing/nodes.js';
import { type StubAgent } from '../testing/stub-agent.js';
import { type StubBmc } from '../testing/stub-bmc.js';

// The results in the record of a handover, as the agent and the BMC of the machine report them.

const ISO = 'http://images.example/agent.iso';

jest.setTimeout(60_000);

let harness: ConductorHarness;
let bmc: StubBmc;
let agent: StubAgent;

beforeEach(async () => {
  harness = new ConductorHarness();
  bmc = await harness.openBmc();
  agent = await harness.openAgent();
  agent.steps = {
    clean: {
      Manager: [
        { interface: 'deploy', step: 'erase_devices_metadata', priority: 10, abortable: true },
        { interface: 'deploy', step: 'erase_devices', priority: 99, abortable: true },
      ],
    },
  };
});

afterEach(async () => {
  await harness.close();
});

interface Open {
  readonly node: NodeRecord;
  readonly record: HandoverRecord;
}

/** A machine that was cleared, and is to be cleaned. */
function cleared(fields: Partial<NodeRecord> = {}, info: Readonly<Record<string, unknown>> = {}) {
  const node = aRedfishNode(
    bmc,
    { deploy_iso: ISO, ...info },
    { provision_state: 'manageable', ...fields },
  );
  const record = aHandover({ uuid: randomUUID(), node_uuid: node.uuid, phase: 'cleared' });
  harness.inventory.handovers.put(record);
  return { node: harness.inventory.put({ ...node, handover_uuid: record.uuid }), record };
}

async function round(): Promise<void> {
  await harness.conductor.handovers.round();
  await harness.idle();
}
const recordNow = ({ record }: Open): HandoverRecord =>
  harness.inventory.handovers.record(record.uuid);
const nodeNow = ({ node }: Open): NodeRecord => harness.inventory.node(node.uuid);
const cleanSteps = (open: Open): readonly unknown[] =>
  recordNow(open)
    .steps.filter(({ step }) => step === 'clean')
    .map(({ outcome, detail }) => [outcome, detail]);

const MOMENT = expect.stringMatching(/^20\d\d-/u);
const METADATA = { interface: 'deploy', step: 'erase_devices_metadata', priority: 10, at: MOMENT };
const DEVICES = { interface: 'deploy', step: 'erase_devices', priority: 99, at: MOMENT };
const NOT_REACHED = {
  ...METADATA,
  outcome: 'skipped',
  by: null,
  reason: 'An earlier step failed.',
  detail: null,
};

describe('what was erased', () => {
  it('is what the agent reported of each step, and the firmware is what the BMC says then', async () => {
    agent.isQuick = true;
    agent.results = { 'clean.execute_clean_step': { clean_result: { '/dev/sda': 'erased' } } };
    const open = cleared();
    await round();
    expect(nodeNow(open)).toMatchObject({ provision_state: 'clean wait' });
    await harness.beat(open.node, agent);
    const done = {
      outcome: 'done',
      by: 'agent',
      reason: null,
      detail: 'SUCCEEDED: {"/dev/sda":"erased"}',
    };
    expect(recordNow(open)).toMatchObject({
      status: 'complete',
      agent: expect.stringMatching(/^[0-9a-f]{64}$/u),
      erased: [
        { ...DEVICES, ...done },
        { ...METADATA, ...done },
      ],
      firmware: [
        { component: 'bios', current_version: 'B-1.2', source: 'bmc', read_at: MOMENT },
        { component: 'bmc', current_version: 'M-3.4', source: 'bmc', read_at: MOMENT },
      ],
    });
    expect(cleanSteps(open)).toEqual([['done', null]]);
    expect(nodeNow(open).driver_internal_info).not.toHaveProperty('clean_step_results');
  });

  it('names the step that failed, and those that were not reached', async () => {
    agent.faults.failing['clean.execute_clean_step'] = 'disk S3RIAL is frozen';
    const open = cleared();
    await round();
    await harness.beat(open.node, agent);
    const detail =
      'step deploy.erase_devices failed: the agent failed to do execute_clean_step: disk S3RIAL is frozen';
    const reason = 'The hardware, or the agent on it, reported a failure.';
    const failed = { ...DEVICES, outcome: 'failed', by: 'agent', reason, detail };
    expect(recordNow(open)).toMatchObject({ status: 'open', erased: [failed, NOT_REACHED] });
    expect(cleanSteps(open)).toEqual([['failed', detail]]);
  });

  it('keeps a cleaning that failed beside the one that did not', async () => {
    agent.faults.failing['clean.execute_clean_step'] = 'no';
    const open = cleared();
    await round();
    await harness.beat(open.node, agent);
    agent.faults.failing = {};
    agent.isQuick = true;
    harness.inventory.put({ ...nodeNow(open), maintenance: false, provision_state: 'manageable' });
    await round();
    await harness.beat(open.node, agent);
    expect(recordNow(open)).toMatchObject({ status: 'complete' });
    expect(recordNow(open).erased.map(({ step, outcome }) => [step, outcome])).toEqual([
      ['erase_devices', 'failed'],
      ['erase_devices_metadata', 'skipped'],
      ['erase_devices', 'done'],
      ['erase_devices_metadata', 'done'],
    ]);
  });

  it('says that a step was aborted', async () => {
    const open = cleared();
    await round();
    await harness.beat(open.node, agent);
    await harness.done(open.node, { target: 'abort' });
    expect(nodeNow(open)).toMatchObject({ provision_state: 'clean failed' });
    const reason = 'It was aborted by request.';
    expect(recordNow(open).erased).toMatchObject([
      { ...DEVICES, outcome: 'failed', reason, detail: null },
      NOT_REACHED,
    ]);
  });

  it('says that the agent did not report in time', async () => {
    const open = cleared();
    await round();
    await harness.overdueFor(1800);
    expect(nodeNow(open)).toMatchObject({ provision_state: 'clean failed' });
    expect(recordNow(open).erased).toMatchObject([
      {
        step: 'clean',
        outcome: 'failed',
        reason: 'The hardware, or the agent on it, did not answer as it should.',
      },
    ]);
  });

  it('is nothing where no agent can be booted, or cleaning is off', async () => {
    const none = cleared({}, { deploy_iso: undefined });
    const off = cleared({ automated_clean: false });
    for (let index = 0; index < 3; index += 1) await round();
    const skipped = { step: 'clean', outcome: 'skipped', by: null, detail: null };
    expect(recordNow(none)).toMatchObject({
      status: 'complete',
      erased: [{ ...skipped, reason: 'No clean step could be run on the node.' }],
    });
    expect(cleanSteps(none)).toEqual([['unsupported', null]]);
    expect(recordNow(off)).toMatchObject({
      status: 'complete',
      erased: [{ ...skipped, reason: 'Automated cleaning is off for the node.' }],
    });
    expect(cleanSteps(off)).toEqual([['nothing_to_do', null]]);
  });

  it('is never believed of a cleaning that failed, though somebody led the machine out of it', async () => {
    agent.faults.failing['clean.execute_clean_step'] = 'no';
    const open = cleared();
    await round();
    await harness.beat(open.node, agent);
    const { handovers } = harness.inventory;
    handovers.put({ ...recordNow(open), phase: 'cleaning' });
    harness.inventory.put({ ...nodeNow(open), maintenance: false, provision_state: 'manageable' });
    await round();
    expect(recordNow(open)).toMatchObject({ status: 'open' });
    expect(nodeNow(open)).toMatchObject({ provision_state: 'clean wait' });
  });
});

describe('a BMC that does not say its firmware', () => {
  it('holds nothing up', async () => {
    const open = cleared({ automated_clean: false });
    bmc.faults.failing['/redfish/v1/Managers/1'] = 500;
    await round();
    await round();
    expect(recordNow(open)).toMatchObject({ status: 'complete', firmware: [] });
  });
});

describe('settings that a tenant changed', () => {
  const before = (custody_before: Readonly<Record<string, unknown>>): Open => {
    const info = { driver_internal_info: { custody_before } };
    const node = aRedfishNode(bmc, {}, { provision_state: 'available', ...info });
    const record = aHandover({ uuid: randomUUID(), node_uuid: node.uuid });
    harness.inventory.handovers.put(record);
    return { node: harness.inventory.put({ ...node, handover_uuid: record.uuid }), record };
  };
  const outcomeOf = (open: Open, name: string): unknown =>
    recordNow(open).steps.find(({ step }) => step === name)?.outcome;

  it('and that wait for a start are taken back before the next tenant starts the machine', async () => {
    bmc.machine.settingsWait = 'yes';
    bmc.machine.waiting = { NumLock: false };
    const open = before({ bios: { NumLock: 'true', BootMode: 'Bios' } });
    await round();
    expect(bmc.machine.attributes).toMatchObject({ NumLock: true, BootMode: 'Bios' });
    expect(bmc.machine.waiting).toEqual({});
    expect(bmc.power).toBe('Off');
    // Only what was not as before is put back, and recorded so.
    expect(recordNow(open).put_back).toEqual({ bios: { NumLock: 'true' } });
  });

  it('and changed back themselves are left alone', async () => {
    const open = before({ bios: { NumLock: 'true' } });
    await round();
    expect([outcomeOf(open, 'bios'), recordNow(open).put_back]).toEqual(['nothing_to_do', {}]);
    expect(bmc.resets).toEqual([]);
    expect(nodeNow(open).driver_internal_info).not.toHaveProperty('custody_before');
  });

  it('leave no boot device where there was none', async () => {
    bmc.boot = { target: 'Cd', enabled: 'Continuous' };
    const none = { boot_device: null, persistent: null };
    const open = before({ boot_device: none });
    await round();
    expect(bmc.boot.enabled).toBe('Disabled');
    expect(recordNow(open).put_back).toEqual({ boot_device: none });
  });

  it('are forgotten where the hardware has no such setting any more', async () => {
    bmc.machine.secureBoot = undefined;
    const open = before({ secure_boot: true, boot_mode: null });
    await round();
    expect([outcomeOf(open, 'secure_boot'), outcomeOf(open, 'boot_mode')]).toEqual([
      'unsupported',
      'unsupported',
    ]);
    expect(nodeNow(open).driver_internal_info).not.toHaveProperty('custody_before');
  });

  it('by a step that comes after one of the agent are recorded as well', async () => {
    agent.isQuick = true;
    const node = harness.inventory.put(
      aRedfishNode(
        bmc,
        { deploy_iso: ISO },
        { provision_state: 'manageable', lessee: 'project-l', instance_uuid: randomUUID() },
      ),
    );
    const settings = [{ name: 'NumLock', value: 'false' }];
    const clean_steps = [
      { interface: 'deploy', step: 'erase_devices' },
      { interface: 'bios', step: 'apply_configuration', args: { settings } },
    ];
    const subject = { user_id: 'u', project_id: 'project-l', domain_id: null, roles: ['admin'] };
    const context = {
      ...newCallContext('baremetal:node:set_provision_state'),
      subject: { ...subject, system_scope: null },
    };
    const order = orderOf({ target: 'clean', clean_steps }, 109, hashBySha512Crypt);
    await harness.conductor.provision.accept(context, node.uuid, order);
    await harness.idle();
    // The agent reports without a subject.
    await harness.beat(node, agent);
    expect(bmc.machine.attributes['NumLock']).toBe(false);
    expect(harness.inventory.node(node.uuid).driver_internal_info).toMatchObject({
      custody_before: {
        bios: { NumLock: 'true' },
        boot_device: { boot_device: null, persistent: null },
      },
    });
  });
});
