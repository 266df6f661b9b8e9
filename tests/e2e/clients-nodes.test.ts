import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CommandLine, commandLine } from '../support/clients-command-line.js';
import { type Clients, startClients } from '../support/clients.js';
import { availableNode } from '../support/fleet.js';
import { inProject, newProject, systemAdmin } from '../support/personas.js';
import { sharedTenure, type Tenure } from '../support/tenure.js';

// python-ironicclient at the newest version that it and Tenure have in common: nodes, their fields, their lists.

const project = newProject('nodes');
const tenant = newProject('tenant');
const owner = inProject(project, 'member');
const lessee = inProject(tenant, 'member');

const resourceClass = `class-${project}`;
const shard = `shard-${project}`;
const chassis = { uuid: randomUUID(), description: 'row 7' };
const machine = (name: string, fields: Readonly<Record<string, unknown>> = {}) =>
  availableNode(`${project}-${name}`, { owner: project, ...fields });

const listed = {
  plain: machine('a-plain'),
  leased: machine('b-leased', { lessee: tenant, resource_class: resourceClass }),
  broken: machine('c-broken', {
    maintenance: true,
    fault: 'power failure',
    description: 'Broken fan',
  }),
  busy: machine('d-busy', {
    provision_state: 'active',
    instance_uuid: randomUUID(),
    chassis_uuid: chassis.uuid,
  }),
  old: machine('e-old', { retired: true, provision_state: 'manageable', shard }),
};
const child = machine('f-child', { parent_node: listed.plain.uuid });

let tenure: Tenure;
let clients: Clients;
let baremetal: CommandLine;

beforeAll(async () => {
  tenure = await sharedTenure();
  clients = startClients(tenure);
  baremetal = commandLine(clients);
  await tenure.importDocument({ chassis: [chassis], nodes: [...Object.values(listed), child] });
});

afterAll(() => {
  clients.stop();
});

const names = async (persona: typeof owner, filter: string): Promise<string> =>
  (await baremetal.lines(persona, `node list ${filter} -f value -c Name`))
    .map((name) => name.replace(`${project}-`, ''))
    .join(' ');

describe('openstack baremetal node list', () => {
  it.each([
    ['', 'a-plain b-leased c-broken d-busy e-old'],
    ['--include-children', 'a-plain b-leased c-broken d-busy e-old f-child'],
    [`--parent-node ${listed.plain.name}`, 'f-child'],
    ['--maintenance', 'c-broken'],
    ['--no-maintenance', 'a-plain b-leased d-busy e-old'],
    ["--fault 'power failure'", 'c-broken'],
    ['--associated', 'd-busy'],
    ['--unassociated', 'a-plain b-leased c-broken e-old'],
    ['--retired', 'e-old'],
    ['--no-retired', 'a-plain b-leased c-broken d-busy'],
    ['--provision-state active', 'd-busy'],
    ['--driver redfish', ''],
    [`--resource-class ${resourceClass}`, 'b-leased'],
    ['--description-contains fan', 'c-broken'],
    ['--sharded', 'e-old'],
    ['--unsharded', 'a-plain b-leased c-broken d-busy'],
    [`--shards ${shard} another`, 'e-old'],
    [`--owner ${project}`, 'a-plain b-leased c-broken d-busy e-old'],
    ['--owner somebody-else', ''],
    [`--lessee ${tenant}`, 'b-leased'],
    ['--sort name:desc', 'e-old d-busy c-broken b-leased a-plain'],
    ['--sort name --limit 2', 'a-plain b-leased'],
    [`--sort name --marker ${listed.broken.uuid}`, 'd-busy e-old'],
  ])('%s', async (filter, expected) => {
    const sorted = filter.includes('--sort') ? filter : `${filter} --sort name`;
    expect(await names(owner, sorted)).toBe(expected);
  });

  it('shows a lessee what is leased to it, and refuses or empties what it may not filter by', async () => {
    expect(await names(lessee, '')).toBe('b-leased');
    expect(await names(lessee, '--associated')).toBe('');
    expect(await baremetal.say(lessee, `node list --parent-node ${listed.plain.name}`)).toBe(
      `Node ${listed.plain.name} could not be found. (HTTP 404)`,
    );
  });

  it.each([
    ["--conductor-group ''", 'conductor_group'],
    ['--conductor some-host', 'conductor'],
  ])('%s is for who may see that field', async (filter, field) => {
    expect(await baremetal.say(owner, `node list ${filter}`)).toBe(
      `Access was denied to the following resource: baremetal:node:get:${field} (HTTP 403)`,
    );
    expect(await names(systemAdmin, `${filter} --owner ${project} --sort name`)).toBe(
      field === 'conductor' ? '' : 'a-plain b-leased c-broken d-busy e-old',
    );
  });

  it('shows the nodes of a chassis to the operator', async () => {
    expect(await names(systemAdmin, `--chassis ${chassis.uuid}`)).toBe('d-busy');
  });

  it('shows chosen fields, masked for the lessee', async () => {
    const line = `node list --resource-class ${resourceClass} --fields name driver_info reservation owner lessee`;
    const view = { name: listed.leased.name, driver_info: {}, owner: project, lessee: tenant };
    expect(await baremetal.json(lessee, line)).toEqual([{ ...view, reservation: false }]);
    expect(await baremetal.json(systemAdmin, line)).toEqual([{ ...view, reservation: null }]);
  });

  it('shows everything with --long', async () => {
    const line = `node list --resource-class ${resourceClass} --long`;
    expect(await baremetal.json(owner, line)).toMatchObject([
      {
        uuid: listed.leased.uuid,
        owner: project,
        lessee: tenant,
        driver: 'fake-hardware',
        provision_state: 'available',
        power_state: 'power off',
        bios_interface: 'fake',
        firmware_interface: 'fake',
        parent_node: null,
        secure_boot: null,
        network_data: {},
        traits: [],
      },
    ]);
  });
});

describe('openstack baremetal node', () => {
  it('children list', async () => {
    expect(await baremetal.json(owner, `node children list ${listed.plain.name}`)).toEqual({
      children: [child.uuid],
    });
  });

  it('show --instance finds a node by its instance, for who may see it', async () => {
    const line = `node show --instance ${String(listed.busy['instance_uuid'])} -f value -c name`;
    expect(await baremetal.lines(owner, line)).toEqual([listed.busy.name]);
    expect(await baremetal.say(lessee, line)).toBe('Not Found (HTTP 404)');
  });

  it('create takes every field, and delete removes it', async () => {
    const uuid = randomUUID();
    const name = `${project}-made`;
    const line = [
      `node create --driver fake-hardware --uuid ${uuid} --name ${name} --owner ${project}`,
      `--lessee ${tenant} --resource-class ${resourceClass}-new --chassis-uuid ${chassis.uuid}`,
      '--driver-info address=192.0.2.1 --driver-info password=secret --property cpus=4',
      `--extra rack=r1 --description text --shard ${shard}-new --no-automated-clean`,
      `--parent-node ${listed.plain.uuid} --bios-interface no-bios --boot-interface fake`,
      '--console-interface no-console --deploy-interface fake --firmware-interface no-firmware',
      '--inspect-interface no-inspect --management-interface fake --network-interface noop',
      '--power-interface fake --raid-interface no-raid --rescue-interface no-rescue',
      '--storage-interface noop --vendor-interface no-vendor',
      `--network-data '{"links": [], "networks": [], "services": []}'`,
    ].join(' ');
    expect(await baremetal.json(systemAdmin, line)).toMatchObject({
      uuid,
      name,
      owner: project,
      lessee: tenant,
      resource_class: `${resourceClass}-new`,
      driver_info: { address: '192.0.2.1', password: '******' },
      properties: { cpus: 4 },
      extra: { rack: 'r1' },
      description: 'text',
      shard: `${shard}-new`,
      automated_clean: false,
      parent_node: listed.plain.uuid,
      bios_interface: 'no-bios',
      rescue_interface: 'no-rescue',
      network_data: { links: [], networks: [], services: [] },
      provision_state: 'enroll',
    });
    expect(await baremetal.lines(systemAdmin, `node delete ${name}`)).toEqual([
      `Deleted node ${name}`,
    ]);
    expect(await baremetal.say(systemAdmin, `node show ${name}`)).toBe(
      `Node ${name} could not be found. (HTTP 404)`,
    );
  });

  it('set and unset change fields, by their owner', async () => {
    const node = machine('set');
    await tenure.importDocument({ nodes: [{ ...node, provision_state: 'manageable' }] });
    const name = `${node.name}-2`;
    const set = [
      `node set ${node.uuid} --name ${name} --resource-class other --description text`,
      `--driver-info a=1 --property b=2 --extra c=3 --instance-info d=4 --lessee ${tenant}`,
      '--retired --retired-reason old --automated-clean',
    ].join(' ');
    expect(await baremetal.say(owner, set)).toBe('ok');
    const fields = [
      'name resource_class description driver_info properties extra instance_info lessee retired',
      'retired_reason automated_clean',
    ].join(' ');
    const show = `node show ${node.uuid} --fields ${fields}`;
    expect(await baremetal.json(owner, show)).toEqual({
      name,
      resource_class: 'other',
      description: 'text',
      driver_info: { a: 1 },
      properties: { b: 2 },
      extra: { c: 3 },
      instance_info: { d: 4 },
      lessee: tenant,
      retired: true,
      retired_reason: 'old',
      automated_clean: true,
    });
    const unset = [
      `node unset ${node.uuid} --name --resource-class --description --driver-info a --property b`,
      '--extra c --instance-info d --lessee --retired --automated-clean --network-data',
      '--target-raid-config',
    ].join(' ');
    expect(await baremetal.say(owner, unset)).toBe('ok');
    expect(await baremetal.json(owner, show)).toEqual({
      name: null,
      resource_class: null,
      description: null,
      driver_info: {},
      properties: {},
      extra: {},
      instance_info: {},
      lessee: null,
      retired: false,
      retired_reason: null,
      automated_clean: null,
    });
  });

  it('set and unset change what is the operator’s, who alone may', async () => {
    const node = machine('operated');
    await tenure.importDocument({ nodes: [node] });
    const set = `node set ${node.uuid} --shard ${shard}-x --chassis-uuid ${chassis.uuid} --parent-node ${listed.plain.uuid} --no-automated-clean`;
    const columns = ['shard', 'chassis_uuid', 'parent_node', 'automated_clean'];
    const show = `node show ${node.uuid} -c ${columns.join(' -c ')}`;
    expect(await baremetal.say(owner, set)).toMatch(
      /^Access was denied to the following resource: baremetal:node:\S+ \(HTTP 403\)$/u,
    );
    expect(await baremetal.say(systemAdmin, set)).toBe('ok');
    expect(await baremetal.json(systemAdmin, show)).toEqual({
      shard: `${shard}-x`,
      chassis_uuid: chassis.uuid,
      parent_node: listed.plain.uuid,
      automated_clean: false,
    });
    const unset = `node unset ${node.uuid} --shard --chassis-uuid --parent-node --conductor-group --automated-clean`;
    expect(await baremetal.say(systemAdmin, unset)).toBe('ok');
    expect(await baremetal.json(systemAdmin, show)).toEqual({
      shard: null,
      chassis_uuid: null,
      parent_node: null,
      automated_clean: null,
    });
  });

  it('set of what only newer versions know is refused, and the client says why', async () => {
    expect(
      await baremetal.say(systemAdmin, `node set ${listed.plain.uuid} --disable-power-off`),
    ).toContain("not\nsupported by the client's negotiated API version");
  });

  it('trait add, list and remove', async () => {
    const node = machine('traits');
    await tenure.importDocument({ nodes: [node] });
    const admin = inProject(project, 'admin');
    const traits = (): Promise<readonly string[]> =>
      baremetal.lines(owner, `node trait list ${node.name} -f value`);
    expect(
      await baremetal.lines(admin, `node trait add ${node.name} CUSTOM_A HW_CPU_X86_VMX`),
    ).toEqual(['Added trait CUSTOM_A', 'Added trait HW_CPU_X86_VMX']);
    expect(await traits()).toEqual(['CUSTOM_A', 'HW_CPU_X86_VMX']);
    expect(await baremetal.say(admin, `node trait add ${node.name} fast`)).toMatch(
      /\(HTTP 400\)$/u,
    );
    expect(await baremetal.say(admin, `node trait remove ${node.name} CUSTOM_B`)).toBe(
      `Failed to remove trait CUSTOM_B: Node ${node.uuid} doesn't have a trait 'CUSTOM_B' (HTTP 404)`,
    );
    expect(await baremetal.say(admin, `node trait remove ${node.name} CUSTOM_A`)).toBe('ok');
    expect(await traits()).toEqual(['HW_CPU_X86_VMX']);
    expect(await baremetal.say(admin, `node trait remove ${node.name} --all`)).toBe('ok');
    expect(await traits()).toEqual([]);
  });
});
