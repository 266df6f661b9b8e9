import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CommandLine, commandLine } from '../support/clients-command-line.js';
import { type Clients, startClients } from '../support/clients.js';
import { availableNode, imported, nodeOf, stableNode } from '../support/fleet.js';
import { runDirectory } from '../support/paths.js';
import { inProject, newProject, systemAdmin } from '../support/personas.js';
import { sharedTenure, type Tenure } from '../support/tenure.js';
import { eventually } from '../support/wait.js';

// A node's life as python-ironicclient drives it. With --wait the client asks again every ten seconds at most.

const project = newProject('life');
const tenant = newProject('life-tenant');
const owner = inProject(project, 'member');
const lesseeAdmin = inProject(tenant, 'admin');
const lessee = inProject(tenant, 'member');

const PATIENCE = 240_000;
const WAIT = '--wait 60';
const step = '[{"interface": "deploy", "step": "erase_devices_metadata"}]';
const serviceStep = '[{"interface": "bios", "step": "factory_reset"}]';

let tenure: Tenure;
let clients: Clients;
let baremetal: CommandLine;

beforeAll(async () => {
  tenure = await sharedTenure();
  clients = startClients(tenure);
  baremetal = commandLine(clients);
});

afterAll(() => {
  clients.stop();
});

async function machine(name: string, fields: Readonly<Record<string, unknown>> = {}) {
  return imported(
    tenure,
    availableNode(`${project}-${name}`, { owner: project, lessee: tenant, ...fields }),
  );
}

const stateOf = async (ident: string): Promise<unknown> =>
  (await nodeOf(tenure, ident))['provision_state'];
const inState = (ident: string, state: string): Promise<unknown> =>
  eventually(
    () => stateOf(ident),
    (seen) => seen === state,
    { what: `state ${state} of ${ident}` },
  );

/** Waits for what a command without --wait has begun. */
const atRest = (ident: string, state: string): Promise<unknown> =>
  eventually(
    () => nodeOf(tenure, ident),
    (seen) =>
      seen['provision_state'] === state &&
      seen['target_provision_state'] === null &&
      seen['reservation'] === null,
    { what: `rest of ${ident} in ${state}` },
  );

describe('the life of a node', () => {
  it(
    'goes from enrolment to an instance and back',
    async () => {
      const name = `${project}-whole`;
      await baremetal.json(
        systemAdmin,
        `node create --driver fake-hardware --name ${name} --owner ${project} --lessee ${tenant}`,
      );
      const drive = `'{"meta_data": {"hostname": "one"}}'`;
      for (const [persona, command, state] of [
        [owner, `manage ${name} ${WAIT}`, 'manageable'],
        [owner, `inspect ${name}`, 'manageable'],
        [owner, `clean ${name} --clean-steps '${step}'`, 'manageable'],
        [owner, `provide ${name} ${WAIT}`, 'available'],
        [lesseeAdmin, `deploy ${name} ${WAIT} --config-drive ${drive}`, 'active'],
        [owner, `rescue ${name} --rescue-password secret`, 'rescue'],
        [lesseeAdmin, `unrescue ${name}`, 'active'],
        [lesseeAdmin, `rebuild ${name}`, 'active'],
        [owner, `service ${name} --service-steps '${serviceStep}'`, 'active'],
        [lesseeAdmin, `undeploy ${name} ${WAIT}`, 'available'],
      ] as const) {
        expect([command, await baremetal.say(persona, `node ${command}`)]).toEqual([command, 'ok']);
        await atRest(name, state);
      }
      expect(await nodeOf(tenure, name)).toMatchObject({ last_error: null, reservation: null });
    },
    PATIENCE,
  );

  it(
    'adopts a machine that is in use already',
    async () => {
      const node = await machine('adopted', { provision_state: 'manageable' });
      await baremetal.say(
        owner,
        `node set ${node.name} --instance-info image_source=http://image.test/a`,
      );
      expect(await baremetal.say(owner, `node adopt ${node.name} ${WAIT}`)).toBe('ok');
      expect(await stateOf(node.uuid)).toBe('active');
    },
    PATIENCE,
  );

  it('aborts an inspection that waits for its ramdisk', async () => {
    const node = await machine('aborted', {
      provision_state: 'manageable',
      inspect_interface: 'agent',
    });
    expect(await baremetal.say(owner, `node inspect ${node.name}`)).toBe('ok');
    await inState(node.uuid, 'inspect wait');
    expect(await baremetal.say(owner, `node abort ${node.name}`)).toBe('ok');
    await inState(node.uuid, 'inspect failed');
    expect(await baremetal.json(owner, `node show ${node.name} --fields last_error`)).toEqual({
      last_error: 'The inspect wait was aborted by request.',
    });
    expect(await baremetal.json(lessee, `node show ${node.name} --fields last_error`)).toEqual({
      last_error: null,
    });
  });

  it('holds between steps until it gets the verb to go on', async () => {
    const node = await machine('hold', { provision_state: 'manageable' });
    const steps = `[{"interface": "deploy", "step": "erase_devices_metadata"}, {"step": "hold"}]`;
    expect(await baremetal.say(owner, `node clean ${node.name} --clean-steps '${steps}'`)).toBe(
      'ok',
    );
    await inState(node.uuid, 'clean hold');
    expect(await baremetal.say(owner, `node unhold ${node.name}`)).toBe('ok');
    await inState(node.uuid, 'manageable');
  });

  it('refuses a verb that its state does not allow, with Ironic’s message', async () => {
    const node = await machine('refused');
    expect(await baremetal.say(owner, `node unrescue ${node.name}`)).toBe(
      `The requested action "unrescue" can not be performed on node "${node.uuid}" while it is in state "available". (HTTP 400)`,
    );
  });
});

describe('the inventory of a machine', () => {
  /** A node of which the conductor has read what the command lists: asking it to validate makes it look. */
  const reported = async (name: string, list: string) => {
    const node = await machine(name);
    await baremetal.say(owner, `node validate ${node.name}`);
    await eventually(
      () => baremetal.json(lessee, `node ${list} ${node.name}`),
      (rows) => Array.isArray(rows) && rows.length > 0,
    );
    return node;
  };

  it('inventory save prints or writes what an inspection found, for the owner', async () => {
    const node = await machine('inspected', { provision_state: 'manageable' });
    const save = `node inventory save ${node.name}`;
    expect(await baremetal.say(owner, save)).toBe(
      `Node inventory record for node ${node.uuid} could not be found. (HTTP 404)`,
    );
    await baremetal.say(owner, `node inspect ${node.name}`);
    await eventually(
      () => nodeOf(tenure, node.uuid),
      (seen) => seen['inspection_finished_at'] !== null && seen['reservation'] === null,
    );
    const found = {
      inventory: { cpu: { count: 4, architecture: 'x86_64' }, memory: { physical_mb: 8192 } },
    };
    expect(JSON.parse((await baremetal.lines(owner, save)).join(''))).toMatchObject(found);
    const file = path.join(runDirectory, `${node.name}.json`);
    expect(await baremetal.say(owner, `${save} --file ${file}`)).toBe('ok');
    expect(existsSync(file) && JSON.parse(readFileSync(file, 'utf8'))).toMatchObject(found);
    expect(await baremetal.say(lesseeAdmin, save)).toBe(
      'Access was denied to the following resource: baremetal:node:inventory:get (HTTP 403)',
    );
  });

  it('bios setting list and show', async () => {
    const { name, uuid } = await reported('bios', 'bios setting list');
    expect(await baremetal.json(lessee, `node bios setting list ${name}`)).toEqual([
      { name: 'BootMode', value: 'Uefi' },
      { name: 'ProcVirtualization', value: 'Enabled' },
      { name: 'MemoryTestLoops', value: '1' },
    ]);
    expect(
      await baremetal.json(owner, `node bios setting show ${name} MemoryTestLoops`),
    ).toMatchObject({ value: '1', attribute_type: 'Integer', lower_bound: 0, upper_bound: 10 });
    expect(await baremetal.say(owner, `node bios setting show ${name} NoSuch`)).toBe(
      `Node ${uuid} doesn't have a BIOS setting 'NoSuch' (HTTP 404)`,
    );
  });

  it('firmware list', async () => {
    const { name } = await reported('firmware', 'firmware list');
    expect(await baremetal.json(lessee, `node firmware list ${name}`)).toMatchObject([
      { component: 'bios', current_version: '1.0' },
      { component: 'bmc', current_version: '1.0' },
    ]);
  });

  it('history list and get show a failure to the owner, and nothing to the lessee', async () => {
    const { name, uuid } = await machine('history', { driver_info: { fake_failure: 'power' } });
    await baremetal.say(owner, `node power on ${name}`);
    await stableNode(tenure, uuid);
    const event =
      "Failed to change power state to 'power on'. Error: the simulated hardware failed, as fake_failure asks.";
    const listed = (await baremetal.json(owner, `node history list ${name}`)) as {
      uuid: string;
    }[];
    expect(listed).toMatchObject([{ severity: 'ERROR', event }]);
    const get = `node history get ${name} ${listed[0]?.uuid ?? ''}`;
    expect(await baremetal.json(owner, get)).toMatchObject({
      event,
      event_type: 'power',
      user: owner.user,
    });
    expect(await baremetal.say(lessee, get)).toBe(
      'Access was denied to the following resource: baremetal:node:history:get (HTTP 403)',
    );
  });

  it('validate reports each interface', async () => {
    const { name } = await machine('valid');
    expect(await baremetal.json(owner, `node validate ${name}`)).toContainEqual({
      Interface: 'power',
      Result: true,
      Reason: '',
    });
  });
});
