import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type NodeRecord, withoutSecrets } from '@tenure/contracts';
import { newCallContext } from '@tenure/signed-context';
import { hasPregeneratedToken, isAgentToken } from '../domain/agent.js';
import { DriverFailure } from '../domain/driver-failure.js';
import { AT_REST, ConductorHarness, type ProvisionBody } from '../testing/conductor-harness.js';
import { aRedfishNode } from '../testing/nodes.js';
import { type StubAgent } from '../testing/stub-agent.js';
import { type StubBmc } from '../testing/stub-bmc.js';

const ISO = 'http://images.example/agent.iso';
const CONTEXT = newCallContext('baremetal:node:ipa_lookup');

jest.setTimeout(60_000);

let harness: ConductorHarness;
let bmc: StubBmc;
let agent: StubAgent;

beforeEach(async () => {
  harness = new ConductorHarness();
  bmc = await harness.openBmc();
  agent = await harness.openAgent();
  agent.isQuick = true;
  agent.steps = {
    clean: { Manager: [{ interface: 'deploy', step: 'erase', priority: 10 }] },
    service: { Manager: [{ interface: 'deploy', step: 'burnin_cpu', priority: 0 }] },
  };
});

afterEach(async () => {
  await harness.close();
});

const aMachine = (fields: Partial<NodeRecord> = {}): NodeRecord =>
  harness.inventory.put(
    aRedfishNode(
      bmc,
      { deploy_iso: ISO },
      {
        provision_state: 'available',
        deploy_interface: 'direct',
        boot_mode: 'uefi',
        inspect_interface: 'agent',
        rescue_interface: 'agent',
        instance_info: {
          image_source: 'http://images.example/os.img',
          image_os_hash_algo: 'sha256',
          image_os_hash_value: 'ab12',
        },
        tenancy_revision: 7,
        ...fields,
      },
    ),
  );

const secretOf = (node: NodeRecord): string =>
  String(harness.inventory.node(node.uuid).driver_internal_info['agent_secret_token']);

describe('the secret of a boot', () => {
  it.each<readonly [string, ProvisionBody, string]>([
    ['available', { target: 'active' }, 'wait call-back'],
    ['manageable', { target: 'provide' }, 'clean wait'],
    ['manageable', { target: 'inspect' }, 'inspect wait'],
    ['active', { target: 'rescue', rescue_password: 'password' }, 'rescue wait'],
    [
      'active',
      { target: 'service', service_steps: [{ interface: 'deploy', step: 'burnin_cpu' }] },
      'service wait',
    ],
  ])('is made for each work: from %s by %j', async (state, body, waits) => {
    const node = aMachine({ provision_state: state });
    const waiting = await harness.done(node, body);
    expect(waiting).toMatchObject({
      provision_state: waits,
      last_error: null,
      power_state: 'power on',
      driver_internal_info: {
        agent_secret_token: expect.stringMatching(/^[\w-]{43}$/u),
        agent_secret_token_pregenerated: true,
        agent_boot: {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/u),
          tenancy_revision: 7,
          started_at: expect.stringMatching(/^2\d{3}-/u),
        },
      },
    });
    expect(hasPregeneratedToken(waiting)).toBe(true);
    expect(isAgentToken(waiting, secretOf(node))).toBe(true);
    expect(harness.parts.media.secretOf(node.uuid)).toBe(secretOf(node));
  });

  it('is persisted before the medium is made, and neither it nor the address of the medium is ever logged', async () => {
    const node = aMachine();
    await harness.done(node, { target: 'active' });
    const secret = secretOf(node);
    const first = harness.inventory.writes.findIndex(
      ({ set }) =>
        (set['driver_internal_info'] as Record<string, unknown> | undefined)?.[
          'agent_secret_token'
        ] === secret,
    );
    expect(first).toBeGreaterThan(-1);
    const address = bmc.machine.drives['Cd']?.image ?? '';
    expect(address).toContain(node.uuid);
    expect(harness.lines.join('')).not.toContain(secret);
    expect(harness.lines.join('')).not.toContain(address.slice(-40, -4));
  });

  it('is neither handed out nor visible to any caller', async () => {
    const node = aMachine();
    const waiting = await harness.done(node, { target: 'active' });
    const { agents } = harness.conductor;
    const found = await agents.lookup(CONTEXT, {
      named: { nodeUuid: node.uuid, addresses: [] },
      from: '127.0.0.1',
    });
    expect(found.token).toBeUndefined();
    const visible = withoutSecrets('driver_internal_info', waiting.driver_internal_info);
    expect(JSON.stringify(visible)).not.toContain(secretOf(node));
    expect(visible).toMatchObject({
      agent_secret_token: '******',
      agent_boot: { work: 'deploy', tenancy_revision: 7 },
    });
  });

  it('is void once the work has ended', async () => {
    const node = aMachine();
    await harness.done(node, { target: 'active' });
    const secret = secretOf(node);
    const after = await harness.beat(node, agent);
    expect(after).toMatchObject({ ...AT_REST, provision_state: 'active' });
    expect(isAgentToken(after, secret)).toBe(false);
    expect(Object.keys(after.driver_internal_info)).not.toContainEqual(
      expect.stringMatching(/^agent_(?:secret|boot)/u),
    );
  });

  it('is void once the work has failed', async () => {
    agent.faults.failing['standby.prepare_image'] = 'no space left on device';
    const node = aMachine();
    await harness.done(node, { target: 'active' });
    const secret = secretOf(node);
    const after = await harness.beat(node, agent);
    expect(after.provision_state).toBe('deploy failed');
    expect(isAgentToken(after, secret)).toBe(false);
  });

  it('is void once the work was aborted', async () => {
    const node = aMachine({ provision_state: 'manageable' });
    await harness.done(node, { target: 'provide' });
    const secret = secretOf(node);
    const after = await harness.done(node, { target: 'abort' });
    expect(after.provision_state).toBe('clean failed');
    expect(isAgentToken(after, secret)).toBe(false);
    expect(bmc.machine.drives['Cd']?.image).toBeNull();
  });

  it('is void once the agent did not come in time', async () => {
    const node = aMachine();
    await harness.done(node, { target: 'active' });
    const secret = secretOf(node);
    await harness.overdueFor(1800);
    expect(isAgentToken(harness.inventory.node(node.uuid), secret)).toBe(false);
  });

  it('is void once the machine was given on', async () => {
    const node = aMachine();
    const waiting = await harness.done(node, { target: 'active' });
    const secret = secretOf(node);
    const given = harness.inventory.put({ ...waiting, lessee: 'other', tenancy_revision: 8 });
    expect(isAgentToken(given, secret)).toBe(false);
    await expect(harness.beat(node, agent)).rejects.toMatchObject({ status: 404 });
    expect(agent.given).toEqual([]);
  });
});

describe('an image that cannot be used', () => {
  it('fails the work with the reason before the machine is touched', async () => {
    harness.parts.media.beforeFetch = () => {
      throw new DriverFailure(
        'answer',
        'the image of driver_info.deploy_iso could not be fetched: its server answered 404',
      );
    };
    const node = aMachine();
    expect(await harness.done(node, { target: 'active' })).toMatchObject({
      provision_state: 'deploy failed',
      last_error:
        'Failed to deploy. Error: step deploy.deploy failed: the image of driver_info.deploy_iso could not be fetched: its server answered 404.',
      driver_internal_info: {},
    });
    expect(bmc.resets).toEqual([]);
    expect(bmc.machine.drives['Cd']?.image).toBeNull();
  });
});

describe('an inspection by an agent', () => {
  const FOUND = {
    inventory: { cpu: { count: 4, architecture: 'x86_64' }, memory: { physical_mb: 2048 } },
    pluginData: {},
  };

  it('boots the agent, and takes it off the machine when it has handed in what it found', async () => {
    const node = aMachine({ provision_state: 'manageable' });
    await harness.done(node, { target: 'inspect' });
    expect(bmc.power).toBe('On');
    const { agents } = harness.conductor;
    await agents.continueInspection(
      CONTEXT,
      { named: { nodeUuid: node.uuid, addresses: [] }, token: secretOf(node) },
      FOUND,
    );
    expect(await harness.completed(node)).toMatchObject({
      ...AT_REST,
      provision_state: 'manageable',
      power_state: 'power off',
      inspection_finished_at: expect.stringMatching(/^2/u),
      properties: { cpus: 4, memory_mb: 2048 },
      driver_internal_info: {},
    });
    expect(bmc.power).toBe('Off');
    expect(bmc.machine.drives['Cd']?.image).toBeNull();
    expect(harness.inventory.documents.get(`inventory of ${node.uuid}`)).toMatchObject({
      inventory: FOUND.inventory,
    });
  });

  it('that is aborted leaves the machine off, and nothing in its drive', async () => {
    const node = aMachine({ provision_state: 'manageable' });
    await harness.done(node, { target: 'inspect' });
    expect(await harness.done(node, { target: 'abort' })).toMatchObject({
      provision_state: 'inspect failed',
      power_state: 'power off',
    });
    expect(bmc.machine.drives['Cd']?.image).toBeNull();
  });

  it('waits for an agent that is booted another way where the conductor cannot boot one', async () => {
    const node = aMachine({ provision_state: 'manageable' });
    const info = { ...node.driver_info };
    delete (info as Record<string, unknown>)['deploy_iso'];
    harness.inventory.put({ ...node, driver_info: info });
    expect(await harness.done(node, { target: 'inspect' })).toMatchObject({
      provision_state: 'inspect wait',
      driver_internal_info: {},
    });
    expect(bmc.resets).toEqual([]);
  });
});
