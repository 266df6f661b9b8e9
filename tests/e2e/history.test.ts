import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CommandLine, commandLine } from '../support/clients-command-line.js';
import { type Clients, startClients } from '../support/clients.js';
import { availableNode, imported, nodeOf, stableNode } from '../support/fleet.js';
import { ask } from '../support/http-client.js';
import { certificates } from '../support/paths.js';
import { inProject, newProject } from '../support/personas.js';
import { redfishSystemId, sushyEmulator, type SushyEmulator } from '../support/sushy-emulator.js';
import { startTenure, type Tenure } from '../support/tenure.js';
import { eventually } from '../support/wait.js';

// The history of a node, read with the real client, on a Tenure that looks at the power every second.

const project = newProject('history');
const owner = inProject(project, 'member');
const password = randomUUID();
const machine = randomUUID();

let tenure: Tenure;
let emulator: SushyEmulator;
let clients: Clients;
let baremetal: CommandLine;

beforeAll(async () => {
  tenure = await startTenure('history', { CONDUCTOR_POWER_SYNC_SECONDS: '1' });
  emulator = await sushyEmulator({
    systems: [{ uuid: machine, name: 'machine' }],
    username: 'operator',
    password,
  });
  clients = startClients(tenure);
  baremetal = commandLine(clients);
});

afterAll(async () => {
  clients.stop();
  await emulator.stop();
  await tenure.stop();
});

interface Event {
  readonly uuid: string;
  readonly severity: string;
  readonly event: string;
}

const historyOf = async (ident: string): Promise<readonly Event[]> =>
  (await baremetal.json(owner, `node history list ${ident}`)) as readonly Event[]; // what the client prints

const sentences = async (ident: string): Promise<readonly string[]> =>
  (await historyOf(ident)).map((entry) => `${entry.severity} ${entry.event}`);

/** Switches a machine by its own API, behind Tenure's back. */
const resetBehindTenure = (type: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const body = JSON.stringify({ ResetType: type });
    const outgoing = request(
      `${emulator.url}${redfishSystemId(machine)}/Actions/ComputerSystem.Reset`,
      {
        method: 'POST',
        ca: readFileSync(certificates.ca),
        headers: {
          authorization: `Basic ${Buffer.from(`operator:${password}`).toString('base64')}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        },
        agent: false,
      },
      (response) => {
        response.resume();
        response.on('end', () => {
          resolve(response.statusCode ?? 0);
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });

describe('the history of a node', () => {
  it('records a deployment, transition by transition', async () => {
    const { name } = await imported(tenure, availableNode(`${project}-deploy`, { owner: project }));
    expect(await baremetal.say(owner, `node deploy ${name}`)).toBe('ok');
    await eventually(
      async () => (await nodeOf(tenure, name))['provision_state'],
      (state) => state === 'active',
      { what: 'a deployed node' },
    );
    const transitions = (await sentences(name)).filter((one) => one.includes('provision state'));
    expect(transitions).toEqual([
      "INFO The provision state went from 'available' to 'deploying'.",
      expect.stringMatching(/^INFO The provision state went from 'deploying' to 'active'\./u),
    ]);
    const [first] = await historyOf(name);
    const whole = await baremetal.json(owner, `node history get ${name} ${first?.uuid ?? ''}`);
    expect(whole).toMatchObject({ severity: 'INFO', event_type: 'provisioning' });
  }, 120_000);

  it('records a power command that failed as an error', async () => {
    const { name, uuid } = await imported(
      tenure,
      availableNode(`${project}-broken`, {
        owner: project,
        driver_info: { fake_failure: 'power' },
      }),
    );
    const accepted = await ask(tenure, owner, `PUT /v1/nodes/${uuid}/states/power`, {
      body: { target: 'power on' },
    });
    expect(accepted.status).toBe(202);
    await stableNode(tenure, uuid);
    expect(await sentences(name)).toEqual([
      "ERROR Failed to change power state to 'power on'. Error: the simulated hardware failed, as fake_failure asks.",
    ]);
  }, 60_000);

  it('records a machine that was switched by somebody else', async () => {
    const { name } = await imported(
      tenure,
      availableNode(`${project}-switched`, {
        owner: project,
        driver: 'redfish',
        driver_info: {
          redfish_address: emulator.url,
          redfish_system_id: redfishSystemId(machine),
          redfish_username: 'operator',
          redfish_password: password,
          redfish_verify_ca: certificates.ca,
          redfish_auth_type: 'basic',
        },
      }),
    );
    expect(await resetBehindTenure('On')).toBe(204);
    await eventually(
      async () => (await nodeOf(tenure, name))['power_state'],
      (state) => state === 'power on',
      { what: 'a corrected power state', within: 40_000 },
    );
    expect(await sentences(name)).toEqual([
      "INFO The power state went from 'power off' to 'power on'.",
    ]);
    expect(tenure.log()).toContain('"msg":"power transition"');
  }, 90_000);
});
