import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { StubImageServer } from '../../services/conductor/src/testing/image-server.js';
import { startStubBmc, type StubBmc } from '../../services/conductor/src/testing/stub-bmc.js';
import { type CommandLine, commandLine } from '../support/clients-command-line.js';
import { type Clients, startClients } from '../support/clients.js';
import { availableNode, type FleetNode, nodeOf } from '../support/fleet.js';
import { askLatest } from '../support/http-client.js';
import { agentImage, MachineAgent } from '../support/machine-agent.js';
import { newMac, portOn } from '../support/node-parts.js';
import { inProject, newProject } from '../support/personas.js';
import { startTenure, type Tenure } from '../support/tenure.js';
import { eventually } from '../support/wait.js';

// Work that goes on with the agent on the machine, from the order at the command line to the end, through the gateway.

const project = newProject('agent-deploy');
const owner = inProject(project, 'admin');

let tenure: Tenure;
let clients: Clients;
let baremetal: CommandLine;
let bmc: StubBmc;
let agent: MachineAgent;
let node: FleetNode;
let images: StubImageServer;

beforeAll(async () => {
  images = await StubImageServer.open(agentImage());
  tenure = await startTenure('agent-deploy', { CONDUCTOR_AGENT_ALLOW_LOOPBACK: 'true' });
  clients = startClients(tenure);
  baremetal = commandLine(clients);
});

afterAll(async () => {
  clients.stop();
  await tenure.stop();
  await images.close();
});

async function arrive(state: string): Promise<void> {
  const mac = newMac();
  bmc = await startStubBmc();
  agent = new MachineAgent(tenure, mac, bmc);
  node = availableNode(newProject('machine'), {
    owner: project,
    driver: 'redfish',
    provision_state: state,
    deploy_interface: 'direct',
    rescue_interface: 'agent',
    boot_mode: 'uefi',
    driver_info: { ...bmc.driverInfo, deploy_iso: images.url },
    instance_info: {
      image_source: 'http://images.example/os.img',
      image_os_hash_algo: 'sha256',
      image_os_hash_value: 'ab12',
    },
  });
  await tenure.importDocument({ nodes: [node], ports: [portOn(node, { address: mac })] });
}

const becomes = (state: string): Promise<Readonly<Record<string, unknown>>> =>
  eventually(
    () => nodeOf(tenure, node.uuid),
    (one) => one['provision_state'] === state && one['reservation'] === null,
    { within: 30_000, what: `a node that is ${state}` },
  );

/** Reports again and again, as agents do, until the node has got there. */
const reportsUntil = (state: string): Promise<unknown> =>
  eventually(
    async () => {
      await agent.heartbeat();
      return (await nodeOf(tenure, node.uuid))['provision_state'];
    },
    (now) => now === state,
    { within: 30_000, every: 300, what: `a node that is ${state}` },
  );

afterEach(async () => {
  await agent.stop();
  await bmc.close();
});

describe('a machine that is available', () => {
  beforeEach(() => arrive('available'));

  it('is deployed by the agent that boots from virtual media', async () => {
    expect(await baremetal.say(owner, `node deploy ${node.name}`)).toBe('ok');
    await becomes('wait call-back');
    expect(agent.medium).toMatch(
      new RegExp(`^http://.*/media/${node.uuid}/[\\w-]{43}\\.iso$`, 'u'),
    );
    expect(bmc.power).toBe('On');
    const { medium } = agent;
    const view = await askLatest(tenure, owner, `GET /v1/nodes/${node.uuid}/vmedia`);
    expect(view.text).not.toContain(medium.slice(-30));

    expect(await agent.boot()).toBe(200);
    expect(await agent.heartbeat('of somebody else')).toBe(404);
    await reportsUntil('active');

    expect(await becomes('active')).toMatchObject({ power_state: 'power on', last_error: null });
    expect(agent.stub.given).toEqual([
      'standby.prepare_image',
      'image.install_bootloader',
      'standby.sync',
    ]);
    expect(bmc.machine.drives['Cd']?.image).toBeNull();
    // Its work is done: an agent that still runs gets no commands, and its medium is there no more.
    expect(await agent.heartbeat()).toBe(404);
    await eventually(
      async () => (await fetch(medium, { method: 'HEAD' })).status,
      (status) => status === 404,
      { within: 5000, what: 'the end of the medium' },
    );
    expect(tenure.log()).not.toContain(medium.slice(-30));
  }, 90_000);

  it('stays off when there is no image to boot its agent from, and says why', async () => {
    images.status = 404;
    expect(await baremetal.say(owner, `node deploy ${node.name}`)).toBe('ok');
    expect(await becomes('deploy failed')).toMatchObject({
      last_error: expect.stringContaining(
        'the image of driver_info.deploy_iso could not be fetched: its server answered 404',
      ),
    });
    images.status = undefined;
    expect(bmc.resets).toEqual([]);
    expect(agent.medium).toBe('');
  }, 60_000);

  it('is left with the reason when the image cannot be written', async () => {
    agent.stub.faults.failing = { 'standby.prepare_image': 'no space left on device' };
    expect(await baremetal.say(owner, `node deploy ${node.name}`)).toBe('ok');
    await becomes('wait call-back');
    expect(await agent.boot()).toBe(200);
    await reportsUntil('deploy failed');
    expect(await becomes('deploy failed')).toMatchObject({
      power_state: 'power off',
      last_error: expect.stringContaining('no space left on device'),
    });
  }, 90_000);

  it('is not deployed from an image that nothing vouches for', async () => {
    expect(
      await baremetal.say(owner, `node set ${node.name} --instance-info image_source=http://x/y`),
    ).toBe('ok');
    expect(
      await baremetal.say(owner, `node unset ${node.name} --instance-info image_os_hash_value`),
    ).toBe('ok');
    expect(await baremetal.say(owner, `node deploy ${node.name}`)).toMatch(/\(HTTP 400\)$/u);
    expect(await nodeOf(tenure, node.uuid)).toMatchObject({ provision_state: 'available' });
  }, 60_000);
});

describe('a machine that is manageable', () => {
  beforeEach(() => arrive('manageable'));

  it('is cleaned by the agent, steps of its own first, before it is available', async () => {
    agent.stub.steps = {
      clean: {
        Disks: [
          { interface: 'deploy', step: 'erase_devices_metadata', priority: 10 },
          { interface: 'deploy', step: 'erase_devices', priority: 0 },
        ],
      },
    };
    expect(await baremetal.say(owner, `node provide ${node.name}`)).toBe('ok');
    await becomes('clean wait');
    expect(await agent.boot()).toBe(200);
    await reportsUntil('available');
    expect(await becomes('available')).toMatchObject({
      power_state: 'power off',
      last_error: null,
    });
    expect(agent.stub.command('clean.execute_clean_step').params).toMatchObject({
      step: { interface: 'deploy', step: 'erase_devices_metadata' },
    });
    expect(bmc.machine.drives['Cd']?.image).toBeNull();
  }, 90_000);
});

describe('a machine that is active', () => {
  beforeEach(() => arrive('active'));

  it('is rescued by the agent, which is given the password as a hash, and given back', async () => {
    expect(
      await baremetal.say(owner, `node rescue ${node.name} --rescue-password secret-word`),
    ).toBe('ok');
    await becomes('rescue wait');
    expect(await agent.boot()).toBe(200);
    await reportsUntil('rescue');
    expect(agent.stub.command('rescue.finalize_rescue').params).toEqual({
      rescue_password: expect.stringMatching(/^\$6\$/u),
      hashed: true,
    });
    expect(JSON.stringify(await nodeOf(tenure, node.uuid))).not.toContain('secret-word');
    expect(await baremetal.say(owner, `node unrescue ${node.name}`)).toBe('ok');
    expect(await becomes('active')).toMatchObject({ power_state: 'power on', last_error: null });
    expect(bmc.machine.drives['Cd']?.image).toBeNull();
    expect(tenure.log()).not.toContain('secret-word');
  }, 90_000);
});
