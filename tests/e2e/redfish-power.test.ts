import { randomUUID } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { availableNode, type FleetNode, imported, nodeOf, stableNode } from '../support/fleet.js';
import { type Answer, ask, faultString } from '../support/http-client.js';
import { certificates } from '../support/paths.js';
import { inProject, newProject, systemAdmin } from '../support/personas.js';
import { freePort } from '../support/processes.js';
import { redfishSystemId, sushyEmulator, type SushyEmulator } from '../support/sushy-emulator.js';
import { sharedTenure, type Tenure } from '../support/tenure.js';
import { eventually } from '../support/wait.js';

// Power through a real Redfish emulator over TLS with Basic authentication. The machine's actions are read from the
// emulator itself. Its fake machines take 1 to 11 seconds for a change of power.

const project = newProject('power');
const owner = inProject(project, 'member');
const ownerReader = inProject(project, 'reader');
const password = `s3cret-${randomUUID()}`;
const wrongPassword = `wr0ng-${randomUUID()}`;
const machines = {
  good: randomUUID(),
  badCa: randomUUID(),
  badPassword: randomUUID(),
  beside: randomUUID(),
  reboot: randomUUID(),
};

let tenure: Tenure;
let emulator: SushyEmulator;
let silent: Server;
let silentPort: number;
const silentSockets = new Set<Socket>();

function redfishNode(
  name: string,
  system: string,
  driverInfo: Readonly<Record<string, unknown>> = {},
): FleetNode {
  return availableNode(`${project}-${name}`, {
    owner: project,
    driver: 'redfish',
    power_state: null,
    driver_info: {
      redfish_address: emulator.url,
      redfish_system_id: redfishSystemId(system),
      redfish_username: 'operator',
      redfish_password: password,
      redfish_verify_ca: certificates.ca,
      redfish_auth_type: 'basic',
      ...driverInfo,
    },
  });
}

const power = (node: FleetNode, target: string): Promise<Answer> =>
  ask(tenure, owner, `PUT /v1/nodes/${node.uuid}/states/power`, { body: { target } });

beforeAll(async () => {
  tenure = await sharedTenure();
  const systems = Object.entries(machines).map(([name, uuid]) => ({ name, uuid }));
  emulator = await sushyEmulator({ systems, username: 'operator', password });
  silentPort = await freePort();
  // A BMC that accepts connections and never says a word, not even of TLS.
  silent = createServer((socket) => {
    silentSockets.add(socket);
    socket.on('error', () => {
      socket.destroy();
    });
  });
  await new Promise<void>((resolve) => {
    silent.listen(silentPort, '127.0.0.1', resolve);
  });
});

afterAll(async () => {
  for (const socket of silentSockets) socket.destroy();
  silent.close();
  await emulator.stop();
});

describe('power over Redfish', () => {
  it('switches a machine on and off, as the machine itself says', async () => {
    const node = await imported(tenure, redfishNode('good', machines.good));
    const accepted = await power(node, 'power on');
    expect({ status: accepted.status, text: accepted.text }).toEqual({ status: 202, text: '' });
    expect(await stableNode(tenure, node.uuid, 40_000)).toMatchObject({
      power_state: 'power on',
      last_error: null,
    });
    expect(await emulator.powerState(machines.good)).toBe('On');

    expect((await power(node, 'power off')).status).toBe(202);
    expect(await stableNode(tenure, node.uuid, 40_000)).toMatchObject({
      power_state: 'power off',
      last_error: null,
    });
    expect(await emulator.powerState(machines.good)).toBe('Off');
  }, 120_000);

  it('reboots a machine, which ends up on', async () => {
    const node = await imported(tenure, redfishNode('reboot', machines.reboot));
    expect((await power(node, 'rebooting')).status).toBe(202);
    expect(await stableNode(tenure, node.uuid, 60_000)).toMatchObject({
      power_state: 'power on',
      last_error: null,
    });
    expect(await emulator.powerState(machines.reboot)).toBe('On');
  }, 120_000);

  it('does not talk to a BMC whose certificate the given CA did not sign', async () => {
    const node = await imported(
      tenure,
      redfishNode('bad-ca', machines.badCa, { redfish_verify_ca: certificates.otherCa }),
    );
    expect((await power(node, 'power on')).status).toBe(202);
    const after = await stableNode(tenure, node.uuid, 60_000);
    expect(after['last_error']).toMatch(/the BMC is unreachable/u);
    expect(tenure.log()).toContain('TLS verification failed');
    // Without an answer the state is unknown: neither the old one nor the requested one.
    expect(after['power_state']).not.toBe('power on');
    expect(await emulator.powerState(machines.badCa)).toBe('Off');
  }, 90_000);

  it('says that the BMC refused a wrong password, and does not believe any state', async () => {
    const node = await imported(
      tenure,
      redfishNode('bad-password', machines.badPassword, { redfish_password: wrongPassword }),
    );
    expect((await power(node, 'power on')).status).toBe(202);
    const after = await stableNode(tenure, node.uuid, 60_000);
    expect(after['last_error']).toEqual(expect.any(String));
    expect(after['last_error']).not.toContain(wrongPassword);
    expect(after['power_state']).not.toBe('power on');
    expect(await emulator.powerState(machines.badPassword)).toBe('Off');
  }, 90_000);

  it('lets a BMC that never answers hold up nothing but itself', async () => {
    const hung = await Promise.all(
      [1, 2, 3, 4].map((n) =>
        imported(
          tenure,
          redfishNode(`silent-${String(n)}`, randomUUID(), {
            redfish_address: `https://127.0.0.1:${String(silentPort)}`,
          }),
        ),
      ),
    );
    const healthy = await imported(tenure, redfishNode('beside', machines.beside));
    for (const node of hung) expect((await power(node, 'power on')).status).toBe(202);
    expect((await power(healthy, 'power on')).status).toBe(202);
    expect(await stableNode(tenure, healthy.uuid, 20_000)).toMatchObject({
      power_state: 'power on',
      last_error: null,
    });

    // A node that is busy is locked, and says so to who asks for more.
    const [first] = hung;
    const again = await power(first ?? healthy, 'power off');
    expect(again.status === 409 || again.status === 202).toBe(true);
    for (const node of hung) {
      const after = await stableNode(tenure, node.uuid, 120_000);
      expect(after['last_error']).toEqual(expect.any(String));
      expect(after['power_state']).not.toBe('power on');
    }
  }, 180_000);

  it('refuses a target that is no power state with 400', async () => {
    const node = await imported(tenure, redfishNode('nonsense', machines.good));
    const answer = await power(node, 'sideways');
    expect(answer.status).toBe(400);
    expect(faultString(answer.text)).not.toBeNull();
    expect(await nodeOf(tenure, node.uuid)).toMatchObject({
      reservation: null,
      target_power_state: null,
    });
  });

  it('never shows a BMC password, to nobody and not in the logs', async () => {
    const seen = await Promise.all(
      [systemAdmin, owner, ownerReader].flatMap((persona) => [
        ask(tenure, persona, `GET /v1/nodes/detail?owner=${project}`),
        ask(
          tenure,
          persona,
          `GET /v1/nodes?owner=${project}&fields=uuid,driver_info,driver_internal_info,last_error`,
        ),
        ask(tenure, persona, `GET /v1/nodes/${project}-good`),
        ask(tenure, persona, `GET /v1/nodes/${project}-bad-password/states`),
      ]),
    );
    expect(seen.map(({ status }) => status)).toEqual(seen.map(() => 200));
    for (const { text } of seen) {
      expect(text).not.toContain(password);
      expect(text).not.toContain(wrongPassword);
    }
    const basic = Buffer.from(`operator:${password}`).toString('base64');
    const log = await eventually(
      () => tenure.log(),
      (text) => text.length > 0,
    );
    for (const secret of [password, wrongPassword, basic]) expect(log).not.toContain(secret);
  });
});
