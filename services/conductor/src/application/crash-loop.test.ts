import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type NodeRecord } from '@tenure/contracts';
import { aNode } from '@tenure/testing';
import {
  AT_REST,
  ConductorHarness,
  HOST,
  type ProvisionBody,
} from '../testing/conductor-harness.js';
import { aRedfishNode } from '../testing/nodes.js';
import { type StubAgent } from '../testing/stub-agent.js';
import { type StubBmc, type StubRequest } from '../testing/stub-bmc.js';

const SYSTEM = '/redfish/v1/Systems/1';
const RESET = `${SYSTEM}/Actions/ComputerSystem.Reset`;
const CD = '/redfish/v1/Managers/1/VirtualMedia/Cd/Actions/VirtualMedia';

let harness: ConductorHarness;
let bmc: StubBmc;

beforeEach(async () => {
  harness = new ConductorHarness();
  bmc = await harness.openBmc();
});

afterEach(async () => {
  harness.inventory.revive();
  await harness.close();
});

/** The next life of the conductor under the same name, which takes up what it finds. */
async function restart(): Promise<void> {
  harness = await harness.restarted();
}

const isOver = (node: NodeRecord): boolean =>
  harness.inventory.node(node.uuid).reservation === null;

/** A part is begun, its power command was sent, and it is done. */
const WRITES_OF_A_PART = 3;

/** Requests that changed something on a BMC, without logins. */
const changesOf = (stub = bmc): readonly string[] =>
  stub.requests
    .filter(({ method, path }) => method !== 'GET' && !path.includes('Sessions'))
    .map(({ method, path, body }: StubRequest) => {
      const type = body['ResetType'];
      return `${method} ${path}${typeof type === 'string' ? ` ${type}` : ''}`;
    });

/**
 * Lives of the conductor, each of which is as long as one part of the work. Returns how many it took until the node was released.
 */
async function livesUntilReleased(node: NodeRecord, most: number): Promise<number> {
  for (let lives = 1; lives <= most; lives += 1) {
    await restart();
    harness.inventory.dieAfter(WRITES_OF_A_PART, HOST);
    await harness.conductor.heartbeat.beat();
    await harness.idle();
    harness.inventory.revive();
    if (isOver(node)) return lives;
  }
  throw new Error(`not released after ${String(most)} lives`);
}

async function order(node: NodeRecord, body: ProvisionBody): Promise<void> {
  harness.inventory.dieAfter(WRITES_OF_A_PART, HOST);
  await harness.provision(node, body);
  await harness.idle();
  harness.inventory.revive();
}

const aRamdiskNode = (fields: Partial<NodeRecord> = {}): NodeRecord =>
  harness.inventory.put(
    aRedfishNode(
      bmc,
      {},
      {
        deploy_interface: 'ramdisk',
        instance_info: { boot_iso: 'http://images.example/live.iso' },
        ...fields,
      },
    ),
  );

/** A deployment that a life of the conductor left so far. */
const leftIn = (parts: Readonly<Record<string, unknown>>): Partial<NodeRecord> => ({
  reservation: HOST,
  fence: 3,
  provision_state: 'deploying',
  target_provision_state: 'active',
  driver_internal_info: {
    pending_provision: {
      event: 'deploy',
      steps: [],
      steps_done: 0,
      parts: { of: 'job deploying', notes: {}, ...parts },
    },
  },
});

const DEPLOYED = [
  `POST ${RESET} ForceOff`,
  `POST ${CD}.EjectMedia`,
  `POST ${CD}.InsertMedia`,
  `PATCH ${SYSTEM}`,
  `POST ${RESET} On`,
];

describe('a conductor that is ended after each step that it has recorded', () => {
  it('deploys an ISO image within as many restarts as that has steps, and sends the BMC no command twice', async () => {
    bmc.power = 'On';
    const drive = bmc.machine.drives['Cd'];
    if (drive === undefined) throw new Error('no drive');
    drive.image = 'http://images.example/left-behind.iso';
    const node = aRamdiskNode();
    await order(node, { target: 'active' });
    // Five parts, and the release.
    expect(await livesUntilReleased(node, 20)).toBeLessThanOrEqual(6);
    expect(harness.inventory.node(node.uuid)).toMatchObject({
      ...AT_REST,
      provision_state: 'active',
      power_state: 'power on',
      driver_internal_info: {},
    });
    expect(changesOf()).toEqual(DEPLOYED);
    expect(drive.image).toBe('http://images.example/live.iso');
  });

  it('sets the BIOS in a cleaning, restarts the machine once, and leaves it off as it was', async () => {
    bmc.machine.settingsWait = 'yes';
    const node = harness.inventory.put(aRedfishNode(bmc, {}, { provision_state: 'manageable' }));
    const settings = [{ name: 'BootMode', value: 'Uefi' }];
    const step = { interface: 'bios', step: 'apply_configuration', args: { settings } };
    await order(node, { target: 'clean', clean_steps: [step] });
    await livesUntilReleased(node, 12);
    expect(harness.inventory.node(node.uuid)).toMatchObject({
      ...AT_REST,
      provision_state: 'manageable',
      power_state: 'power off',
    });
    expect(changesOf()).toEqual([
      `PATCH ${SYSTEM}/Bios/Settings`,
      `POST ${RESET} On`,
      `POST ${RESET} ForceOff`,
    ]);
    expect(bmc.machine.attributes['BootMode']).toBe('Uefi');
  });

  it('does the reboots and waits that a cleaning has as steps', async () => {
    bmc.power = 'On';
    const node = harness.inventory.put(aRedfishNode(bmc, {}, { provision_state: 'manageable' }));
    const steps = [
      { step: 'reboot' },
      { step: 'wait', args: { seconds: 2 } },
      { step: 'power_off' },
    ];
    await order(node, { target: 'clean', clean_steps: steps });
    await livesUntilReleased(node, 14);
    expect(harness.inventory.node(node.uuid)).toMatchObject({
      ...AT_REST,
      provision_state: 'manageable',
    });
    expect(changesOf()).toEqual([
      `POST ${RESET} ForceOff`,
      `POST ${RESET} On`,
      `POST ${RESET} ForceOff`,
    ]);
  });
});

describe('a conductor that is ended whenever a BMC has just got a command', () => {
  it('waits for what the command brings about, and sends no command twice', async () => {
    bmc.power = 'On';
    bmc.faults.transitionMs = 60;
    const node = aRamdiskNode();
    const changes = [RESET, `${CD}.InsertMedia`, SYSTEM].map((path) => [
      path === SYSTEM ? 'PATCH' : 'POST',
      path,
    ]);
    await harness.provision(node, { target: 'active' });
    for (let lives = 0; !isOver(node); lives += 1) {
      expect(lives).toBeLessThan(8);
      const ended = harness;
      const got = Promise.race(
        changes.map(([method = '', path = '']) => bmc.received(method, path)),
      );
      await Promise.race([
        got.then(() => {
          ended.stop();
        }),
        harness.idle(),
      ]);
      await harness.idle();
      if (isOver(node)) break;
      await restart();
      await harness.conductor.heartbeat.beat();
    }
    expect(harness.inventory.node(node.uuid)).toMatchObject({
      ...AT_REST,
      provision_state: 'active',
      power_state: 'power on',
    });
    expect(changesOf().filter((one) => !one.includes('Eject'))).toEqual(
      DEPLOYED.filter((one) => !one.includes('Eject')),
    );
  });

  it('waits for as long as a machine needs for a command that is recorded as sent', async () => {
    bmc.power = 'On';
    const begun = { name: 'power off', times: 3, sent: true };
    const node = aRamdiskNode(leftIn({ done: [], begun }));
    setTimeout(() => {
      bmc.power = 'Off';
    }, 1200);
    await harness.conductor.heartbeat.beat();
    expect(await harness.completed(node)).toMatchObject({ ...AT_REST, provision_state: 'active' });
    expect(changesOf()).toEqual(DEPLOYED.slice(2));
  });

  it('sends a power command that never went out, after it was waited for in vain', async () => {
    bmc.power = 'On';
    const node = aRamdiskNode(leftIn({ done: [], begun: { name: 'power off', times: 1 } }));
    await harness.conductor.heartbeat.beat();
    expect(await harness.completed(node)).toMatchObject({ ...AT_REST, provision_state: 'active' });
    expect(changesOf()[0]).toBe(`POST ${RESET} ForceOff`);
  });
});

describe('a machine that somebody else has started while no conductor ran', () => {
  it('is switched off before it is booted from the image', async () => {
    const done = ['power off', 'eject', 'insert the image', 'set the boot device'];
    const node = aRamdiskNode(leftIn({ done }));
    bmc.power = 'On';
    await harness.conductor.heartbeat.beat();
    expect(await harness.completed(node)).toMatchObject({ ...AT_REST, provision_state: 'active' });
    expect(changesOf()).toEqual([`POST ${RESET} ForceOff`, `POST ${RESET} On`]);
  });
});

describe('a direct deployment under a conductor that is ended after each step', () => {
  const ISO = 'http://images.example/agent.iso';
  const IMAGE = {
    image_source: 'http://images.example/os.img',
    image_os_hash_algo: 'sha256',
    image_os_hash_value: 'a'.repeat(64),
  };

  const wakened = async (node: NodeRecord, agent: StubAgent): Promise<void> => {
    agent.end();
    harness.inventory.dieAfter(3, HOST);
    await harness.beat(node, agent).catch(() => undefined);
    await harness.idle();
    harness.inventory.revive();
  };

  it('boots the agent once with one secret, writes the image once, and ends', async () => {
    const agent = await harness.openAgent();
    const node = harness.inventory.put(
      aRedfishNode(
        bmc,
        { deploy_iso: ISO },
        { deploy_interface: 'direct', boot_mode: 'uefi', instance_info: IMAGE },
      ),
    );
    harness.parts.put('ports', node.uuid, { address: '52:54:00:00:00:12' });
    const stateOf = (): string => harness.inventory.node(node.uuid).provision_state;
    await order(node, { target: 'active' });
    for (let rounds = 0; stateOf() !== 'active'; rounds += 1) {
      expect(rounds).toBeLessThan(20);
      if (isOver(node)) await wakened(node, agent);
      else await livesUntilReleased(node, 20);
    }
    expect(harness.inventory.node(node.uuid)).toMatchObject(AT_REST);
    expect(bmc.resets).toEqual(['On', 'GracefulShutdown', 'On']);
    expect(harness.parts.media.secrets.size).toBe(1);
    for (const name of ['standby.prepare_image', 'image.install_bootloader'])
      expect(agent.given.filter((one) => one === name)).toHaveLength(1);
  });
});

describe('simulated machines that take their time', () => {
  it('are all deployed, though no life of the conductor is as long as one deployment', async () => {
    const nodes = Array.from({ length: 12 }, () =>
      harness.inventory.put(aNode({ driver_info: { fake_delay_ms: 1500 } })),
    );
    for (const node of nodes) await harness.provision(node, { target: 'active' });
    for (let lives = 0; nodes.some((node) => !isOver(node)); lives += 1) {
      expect(lives).toBeLessThan(6);
      await new Promise((resolve) => setTimeout(resolve, 900));
      await restart();
      await harness.conductor.heartbeat.beat();
    }
    for (const { uuid } of nodes)
      expect(harness.inventory.node(uuid)).toMatchObject({ ...AT_REST, provision_state: 'active' });
  });
});
