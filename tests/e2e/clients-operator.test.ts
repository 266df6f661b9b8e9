import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CommandLine, commandLine } from '../support/clients-command-line.js';
import { type Clients, startClients } from '../support/clients.js';
import { availableNode } from '../support/fleet.js';
import { runDirectory } from '../support/paths.js';
import { inProject, newProject, systemAdmin, systemReader } from '../support/personas.js';
import { sharedTenure } from '../support/tenure.js';
import { newAddress } from './access/fixtures.js';

// Resources that the operator manages with python-ironicclient, and no project may.

const project = newProject('operator');
const admin = inProject(project, 'admin');
const node = availableNode(`${project}-one`, { owner: project });
const second = availableNode(`${project}-two`, { owner: project });

let clients: Clients;
let baremetal: CommandLine;

beforeAll(async () => {
  const tenure = await sharedTenure();
  clients = startClients(tenure);
  baremetal = commandLine(clients);
  await tenure.importDocument({ nodes: [node, second] });
});

afterAll(() => {
  clients.stop();
});

describe('what is the operator’s', () => {
  it('chassis create, list, set, unset and delete', async () => {
    const uuid = randomUUID();
    const created = { uuid, description: 'rack', extra: { a: 1 } };
    expect(
      await baremetal.json(
        systemAdmin,
        `chassis create --uuid ${uuid} --description rack --extra a=1`,
      ),
    ).toMatchObject(created);
    expect(
      await baremetal.json(systemReader, 'chassis list --fields uuid description extra'),
    ).toContainEqual(created);
    expect(await baremetal.say(systemReader, `chassis set ${uuid} --extra b=2`)).toBe(
      'Access was denied to the following resource: baremetal:chassis:update (HTTP 403)',
    );
    for (const change of [
      `chassis set ${uuid} --extra b=2`,
      `chassis unset ${uuid} --description --extra a`,
    ])
      expect(await baremetal.say(systemAdmin, change)).toBe('ok');
    expect(await baremetal.json(systemReader, `chassis show ${uuid}`)).toMatchObject({
      description: null,
      extra: { b: 2 },
    });
    expect(await baremetal.say(systemAdmin, `chassis delete ${uuid}`)).toBe('ok');
    expect(await baremetal.say(systemAdmin, `chassis show ${uuid}`)).toBe(
      `Chassis ${uuid} could not be found. (HTTP 404)`,
    );
  });

  it('deploy template create, list, set, unset and delete', async () => {
    const word = randomUUID().replaceAll('-', '_').toUpperCase();
    const [name, other] = [`CUSTOM_${word}`, `CUSTOM_2_${word}`];
    const step = { interface: 'bios', step: 'factory_reset', args: {}, priority: 10 };
    const raid = { interface: 'raid', step: 'delete_configuration', args: { a: 1 }, priority: 20 };
    const create = `deploy template create ${name} --extra a=1 --steps '${JSON.stringify([step])}'`;
    expect(await baremetal.json(systemAdmin, create)).toMatchObject({ name, steps: [step] });
    expect(await baremetal.lines(systemReader, 'deploy template list -f value -c Name')).toContain(
      name,
    );
    for (const change of [
      `deploy template set ${name} --name ${other} --extra b=2 --steps '${JSON.stringify([raid])}'`,
      `deploy template unset ${other} --extra a`,
    ])
      expect(await baremetal.say(systemAdmin, change)).toBe('ok');
    expect(await baremetal.json(systemReader, `deploy template show ${other}`)).toMatchObject({
      name: other,
      steps: [raid],
      extra: { b: 2 },
    });
    expect(await baremetal.lines(systemAdmin, `deploy template delete ${other}`)).toEqual([
      `Deleted deploy template ${other}`,
    ]);
  });

  it('driver list, show, property list and raid property list', async () => {
    expect(await baremetal.lines(systemReader, 'driver list -f value -c Name')).toEqual([
      'fake-hardware',
      'redfish',
    ]);
    expect(await baremetal.json(systemReader, 'driver list --type classic')).toEqual([]);
    expect(await baremetal.json(systemReader, 'driver show fake-hardware')).toMatchObject({
      name: 'fake-hardware',
      type: 'dynamic',
      default_power_interface: 'fake',
      enabled_bios_interfaces: 'fake, no-bios',
    });
    expect(await baremetal.say(systemReader, 'driver show ipmi')).toBe(
      'Could not find the following driver(s) or hardware type(s): ipmi. (HTTP 404)',
    );
    const properties = 'property list redfish -f value -c Property';
    expect(await baremetal.lines(systemReader, `driver ${properties}`)).toContain(
      'redfish_address',
    );
    const raid = 'driver raid property list fake-hardware -f value -c Property';
    expect(await baremetal.lines(systemReader, raid)).toContain('raid_level');
    expect(await baremetal.json(systemAdmin, 'driver passthru list fake-hardware')).toEqual([]);
    expect(await baremetal.say(systemAdmin, 'driver passthru call fake-hardware no_such')).toBe(
      'No handler for method no_such (HTTP 400)',
    );
    expect(await baremetal.say(systemReader, 'driver passthru call fake-hardware no_such')).toBe(
      'Access was denied to the following resource: baremetal:driver:vendor_passthru (HTTP 403)',
    );
  });

  it('conductor list and show, and shard list', async () => {
    const [host = ''] = await baremetal.lines(systemReader, 'conductor list -f value -c Hostname');
    expect(await baremetal.json(systemReader, `conductor show ${host}`)).toMatchObject({
      hostname: host,
      alive: true,
      conductor_group: '',
      drivers: ['fake-hardware', 'redfish'],
    });
    expect(await baremetal.say(systemReader, 'conductor show nowhere')).toBe(
      'Conductor nowhere could not be found. (HTTP 404)',
    );
    const shard = `shard-${project}`;
    for (const one of [node, second])
      await baremetal.say(systemAdmin, `node set ${one.uuid} --shard ${shard}`);
    expect(await baremetal.lines(systemReader, 'shard list -f value')).toContain(`${shard} 2`);
  });

  it('create makes what a file says', async () => {
    const file = path.join(runDirectory, `${project}.json`);
    const name = `${project}-filed`;
    const machine = { driver: 'fake-hardware', name, owner: project };
    const described = {
      ...machine,
      ports: [{ address: newAddress() }],
      portgroups: [{ ports: [{ address: newAddress() }] }],
    };
    writeFileSync(file, JSON.stringify({ chassis: [{ description: name, nodes: [described] }] }));
    expect(await baremetal.say(systemAdmin, `create ${file}`)).toBe('ok');
    expect(await baremetal.json(admin, `port list --node ${name}`)).toHaveLength(2);
    expect(await baremetal.json(admin, `port group list --node ${name}`)).toHaveLength(1);
    expect(await baremetal.say(admin, `create ${file}`)).toContain(
      'Access was denied to the following resource: baremetal:chassis:create (HTTP 403)',
    );
  });
});
