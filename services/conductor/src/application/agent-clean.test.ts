import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type NodeRecord } from '@tenure/contracts';
import { isAgentToken } from '../domain/agent.js';
import { AT_REST, ConductorHarness } from '../testing/conductor-harness.js';
import { aRedfishNode } from '../testing/nodes.js';
import { type StubAgent } from '../testing/stub-agent.js';
import { type StubBmc } from '../testing/stub-bmc.js';

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
        { interface: 'deploy', step: 'erase_devices', priority: 99 },
        { interface: 'deploy', step: 'burnin_cpu', priority: 0 },
      ],
    },
    service: { Manager: [{ interface: 'deploy', step: 'burnin_cpu', priority: 0 }] },
  };
});

afterEach(async () => {
  await harness.close();
});

const aMachine = (fields: Partial<NodeRecord> = {}): NodeRecord =>
  harness.inventory.put(
    aRedfishNode(bmc, { deploy_iso: ISO }, { provision_state: 'manageable', ...fields }),
  );

const stepsGiven = (): readonly unknown[] =>
  agent.commands
    .filter(({ name }) => name.includes('.execute_'))
    .map(({ params }) => (params['step'] as { step: string }).step); // as the conductor sends it

describe('automated cleaning', () => {
  it('does what the agent lists, the highest priority first, and leaves the machine off', async () => {
    agent.isQuick = true;
    const node = aMachine();
    expect(await harness.done(node, { target: 'provide' })).toMatchObject({
      provision_state: 'clean wait',
      target_provision_state: 'available',
      power_state: 'power on',
      reservation: null,
    });
    expect(await harness.beat(node, agent)).toMatchObject({
      ...AT_REST,
      provision_state: 'available',
      power_state: 'power off',
      clean_step: {},
      driver_internal_info: {
        agent_cached_clean_steps: { Manager: expect.any(Array) },
        hardware_manager_version: { stub: '1' },
      },
    });
    expect(stepsGiven()).toEqual(['erase_devices', 'erase_devices_metadata']);
    expect(bmc.machine.drives['Cd']?.image).toBeNull();
    expect(bmc.resets).toEqual(['On', 'ForceOff']);
  });

  it('follows the tearing down of an instance', async () => {
    agent.isQuick = true;
    const node = aMachine({ provision_state: 'active', deploy_interface: 'direct' });
    expect(await harness.done(node, { target: 'deleted' })).toMatchObject({
      provision_state: 'clean wait',
      target_provision_state: 'available',
    });
    expect(await harness.beat(node, agent)).toMatchObject({ provision_state: 'available' });
  });

  it('boots no agent where it is switched off, or there is none to boot', async () => {
    const off = aMachine({ automated_clean: false });
    expect(await harness.done(off, { target: 'provide' })).toMatchObject({
      provision_state: 'available',
    });
    const none = harness.inventory.put(aRedfishNode(bmc, {}, { provision_state: 'manageable' }));
    expect(await harness.done(none, { target: 'provide' })).toMatchObject({
      provision_state: 'available',
    });
    expect(bmc.requests).toEqual([]);
    expect(harness.lines.filter((line) => line.includes('driver_info.deploy_iso'))).toHaveLength(1);
  });

  it('boots the agent again after a step that asks for it', async () => {
    agent.isQuick = true;
    agent.steps = {
      clean: {
        Manager: [
          { interface: 'deploy', step: 'flash', priority: 50, reboot_requested: true },
          { interface: 'deploy', step: 'erase', priority: 10 },
        ],
      },
    };
    const node = aMachine();
    const first = await harness.done(node, { target: 'provide' });
    const waiting = await harness.beat(node, agent);
    expect(waiting).toMatchObject({ provision_state: 'clean wait', clean_step: { step: 'erase' } });
    // The agent that comes up now has a secret of its own, and that of the first is void.
    const secret = String(first.driver_internal_info['agent_secret_token']);
    expect(isAgentToken(first, secret)).toBe(true);
    expect(isAgentToken(waiting, secret)).toBe(false);
    expect(harness.parts.media.secrets.size).toBe(2);
    expect(waiting.driver_internal_info).not.toHaveProperty('agent_url');
    expect(await harness.beat(node, agent)).toMatchObject({ provision_state: 'available' });
    expect(stepsGiven()).toEqual(['flash', 'erase']);
    expect(bmc.resets).toEqual(['On', 'ForceOff', 'On', 'ForceOff']);
  });

  it('that fails puts the node into maintenance, with the machine off', async () => {
    agent.faults.failing['clean.execute_clean_step'] = 'the disk is frozen';
    const node = aMachine();
    await harness.done(node, { target: 'provide' });
    expect(await harness.beat(node, agent)).toMatchObject({
      provision_state: 'clean failed',
      maintenance: true,
      power_state: 'power off',
      last_error:
        'Failed to clean the node. Error: step deploy.erase_devices failed: the agent failed to do execute_clean_step: the disk is frozen.',
    });
  });

  it('whose agent never reports ends after half an hour', async () => {
    const node = aMachine();
    await harness.done(node, { target: 'provide' });
    await harness.overdueFor(1800);
    expect(harness.inventory.node(node.uuid)).toMatchObject({
      provision_state: 'clean failed',
      reservation: null,
      last_error: 'Timeout reached while the node was in clean wait: its agent did not report.',
    });
  });
});

describe('manual cleaning', () => {
  const clean = (...steps: readonly string[]) => ({
    target: 'clean',
    clean_steps: steps.map((step) => ({ interface: 'deploy' as const, step })),
  });

  it('boots the agent for its steps, and does those named, in their order', async () => {
    agent.isQuick = true;
    const node = aMachine();
    await harness.done(node, clean('erase_devices_metadata', 'burnin_cpu'));
    expect(await harness.beat(node, agent)).toMatchObject({
      ...AT_REST,
      provision_state: 'manageable',
      power_state: 'power off',
    });
    expect(stepsGiven()).toEqual(['erase_devices_metadata', 'burnin_cpu']);
  });

  it('boots no agent for steps of the driver', async () => {
    const node = aMachine();
    const steps = [{ interface: 'bios', step: 'factory_reset' }] as const;
    const after = await harness.done(node, { target: 'clean', clean_steps: [...steps] });
    expect(after.provision_state).toBe('manageable');
    expect(bmc.machine.drives['Cd']?.image).toBeNull();
  });

  it('boots no agent where it must not, and refuses its steps', async () => {
    const node = aMachine();
    expect(
      await harness.done(node, { ...clean('erase_devices'), disable_ramdisk: true }),
    ).toMatchObject({
      provision_state: 'clean failed',
      last_error:
        'Failed to clean the node. Error: node does not support this clean step: deploy.erase_devices.',
    });
    expect(bmc.requests).toEqual([]);
  });

  it('is aborted at once while an abortable step runs', async () => {
    const node = aMachine();
    await harness.done(node, clean('erase_devices_metadata', 'burnin_cpu'));
    await harness.beat(node, agent);
    expect(await harness.done(node, { target: 'abort' })).toMatchObject({
      provision_state: 'clean failed',
      target_provision_state: 'manageable',
      last_error: 'The clean wait was aborted by request.',
      power_state: 'power off',
      reservation: null,
    });
    expect(bmc.machine.drives['Cd']?.image).toBeNull();
  });

  it('is aborted after the step that runs when that must not be cut short', async () => {
    const node = aMachine();
    await harness.done(node, clean('erase_devices', 'burnin_cpu'));
    await harness.beat(node, agent);
    expect(await harness.done(node, { target: 'abort' })).toMatchObject({
      provision_state: 'clean wait',
      reservation: null,
    });
    agent.end();
    expect(await harness.beat(node, agent)).toMatchObject({
      provision_state: 'clean failed',
      last_error:
        'Failed to clean the node. Error: aborted by request after step deploy.erase_devices had ended.',
    });
    expect(stepsGiven()).toEqual(['erase_devices']);
  });
});

describe('rescue', () => {
  const rescue = { target: 'rescue', rescue_password: 'very-secret' };
  const anInstance = (fields: Partial<NodeRecord> = {}): NodeRecord =>
    aMachine({ provision_state: 'active', rescue_interface: 'agent', ...fields });

  it('gives the agent the hashed password, which is then forgotten; unrescuing boots the disk', async () => {
    const node = anInstance({ instance_info: { image_source: 'x' } });
    const waiting = await harness.done(node, rescue);
    expect(waiting).toMatchObject({
      provision_state: 'rescue wait',
      target_provision_state: 'rescue',
      instance_info: { hashed_rescue_password: expect.stringMatching(/^\$6\$[^$]+\$.{86}$/u) },
    });
    const hash = (waiting.instance_info as Record<string, unknown>)['hashed_rescue_password'];
    expect(await harness.beat(node, agent)).toMatchObject({
      ...AT_REST,
      provision_state: 'rescue',
      power_state: 'power on',
      instance_info: { image_source: 'x' },
    });
    expect(agent.command('rescue.finalize_rescue').params).toEqual({
      rescue_password: hash,
      hashed: true,
    });
    expect(harness.inventory.node(node.uuid).instance_info).toEqual({ image_source: 'x' });
    expect(JSON.stringify([harness.inventory.writes, harness.lines])).not.toContain('very-secret');

    expect(await harness.done(node, { target: 'unrescue' })).toMatchObject({
      ...AT_REST,
      provision_state: 'active',
      power_state: 'power on',
    });
    expect(bmc.machine.drives['Cd']?.image).toBeNull();
    expect(bmc.boot).toEqual({ target: 'Hdd', enabled: 'Continuous' });
  });

  it('that fails, or is aborted, keeps no password', async () => {
    agent.faults.failing['rescue.finalize_rescue'] = 'no';
    const failing = anInstance();
    await harness.done(failing, rescue);
    expect(await harness.beat(failing, agent)).toMatchObject({
      provision_state: 'rescue failed',
      instance_info: {},
    });
    const aborted = anInstance();
    await harness.done(aborted, rescue);
    expect(await harness.done(aborted, { target: 'abort' })).toMatchObject({
      provision_state: 'rescue failed',
      instance_info: {},
    });
  });

  it('is refused without an agent to boot', async () => {
    const node = anInstance();
    harness.inventory.put({ ...node, driver_info: { ...node.driver_info, deploy_iso: null } });
    await expect(harness.provision(node, rescue)).rejects.toMatchObject({ status: 400 });
  });
});

describe('service', () => {
  it('does the agent’s steps, and starts the machine from its disk again', async () => {
    agent.isQuick = true;
    const node = aMachine({ provision_state: 'active' });
    const steps = [{ interface: 'deploy', step: 'burnin_cpu' }] as const;
    expect(
      await harness.done(node, { target: 'service', service_steps: [...steps] }),
    ).toMatchObject({ provision_state: 'service wait', target_provision_state: 'active' });
    expect(await harness.beat(node, agent)).toMatchObject({
      ...AT_REST,
      provision_state: 'active',
      power_state: 'power on',
      service_step: {},
    });
    expect(agent.given).toEqual(['service.execute_service_step']);
    expect(bmc.boot).toEqual({ target: 'Hdd', enabled: 'Continuous' });
    expect(bmc.machine.drives['Cd']?.image).toBeNull();
  });
});
