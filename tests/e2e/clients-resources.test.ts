import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CommandLine, commandLine } from '../support/clients-command-line.js';
import { type Clients, startClients } from '../support/clients.js';
import { availableNode } from '../support/fleet.js';
import { inProject, newProject, systemReader } from '../support/personas.js';
import { sharedTenure } from '../support/tenure.js';
import { newAddress } from './access/fixtures.js';

// Resources that belong to nodes, made, changed, listed and removed with python-ironicclient.

const project = newProject('resources');
const tenant = newProject('resources-tenant');
const admin = inProject(project, 'admin');
const lessee = inProject(tenant, 'member');
const stranger = inProject(newProject('resources-stranger'), 'admin');

// How ports are connected may be changed while nobody uses the node.
const idle = { owner: project, provision_state: 'manageable' };
const node = availableNode(`${project}-one`, { ...idle, lessee: tenant });
const second = availableNode(`${project}-two`, idle);

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

const uuids = async (persona: typeof admin, list: string): Promise<readonly string[]> =>
  baremetal.lines(persona, `${list} -f value -c UUID`);

const noNode = `Node ${node.name} could not be found. (HTTP 404)`;

describe('openstack baremetal port and port group', () => {
  it('create, list, set, unset and delete', async () => {
    const [port, portgroup] = [randomUUID(), randomUUID()];
    const [address, groupAddress] = [newAddress(), newAddress()];
    expect(
      await baremetal.json(
        admin,
        `port group create --node ${node.uuid} --uuid ${portgroup} --name pg-${project} --address ${groupAddress} --mode 802.3ad --property miimon=100 --extra a=1 --support-standalone-ports`,
      ),
    ).toMatchObject({
      uuid: portgroup,
      node_uuid: node.uuid,
      name: `pg-${project}`,
      address: groupAddress,
      mode: '802.3ad',
      properties: { miimon: 100 },
      extra: { a: 1 },
      standalone_ports_supported: true,
    });
    expect(
      await baremetal.json(
        admin,
        `port create ${address} --node ${node.uuid} --uuid ${port} --name port-${project} --port-group ${portgroup} --pxe-enabled false --physical-network net1 --extra a=1 --local-link-connection switch_id=aa:bb:cc:dd:ee:ff --local-link-connection port_id=e1`,
      ),
    ).toMatchObject({
      uuid: port,
      node_uuid: node.uuid,
      address,
      name: `port-${project}`,
      portgroup_uuid: portgroup,
      pxe_enabled: false,
      physical_network: 'net1',
      is_smartnic: false,
      local_link_connection: { switch_id: 'aa:bb:cc:dd:ee:ff', port_id: 'e1' },
    });

    for (const filter of [
      '',
      `--node ${node.name}`,
      `--node ${node.uuid}`,
      `--address ${address}`,
      `--port-group pg-${project}`,
      '--long',
      '--fields uuid address',
      '--sort address:desc --limit 1',
    ]) {
      expect([filter, await uuids(lessee, `port list ${filter}`)]).toEqual([filter, [port]]);
    }
    for (const filter of ['', `--node ${node.name}`, `--address ${groupAddress}`, '--long'])
      expect([filter, await uuids(lessee, `port group list ${filter}`)]).toEqual([
        filter,
        [portgroup],
      ]);
    expect(await baremetal.say(stranger, `port list --node ${node.name}`)).toBe(noNode);
    expect(await baremetal.say(stranger, `port list --port-group pg-${project}`)).toBe(
      `Portgroup pg-${project} could not be found. (HTTP 404)`,
    );
    expect(await uuids(stranger, `port list --address ${address}`)).toEqual([]);
    expect(
      await baremetal.lines(lessee, `port show --address ${address} -f value -c uuid`),
    ).toEqual([port]);
    expect(await baremetal.say(stranger, `port show --address ${address}`)).toBe(
      'Not Found (HTTP 404)',
    );

    const moved = newAddress();
    for (const change of [
      `port set ${port} --address ${moved} --name other-${project} --pxe-enabled --physical-network net2 --is-smartnic --extra b=2`,
      `port unset ${port} --port-group --physical-network --is-smartnic --name --extra a`,
      `port set ${port} --node ${second.uuid}`,
      `port group set ${portgroup} --mode active-backup --property x=1 --extra b=2`,
      `port group unset ${portgroup} --address --name --property miimon --extra a`,
    ])
      expect([change, await baremetal.say(admin, change)]).toEqual([change, 'ok']);
    expect(await baremetal.json(admin, `port show ${port}`)).toMatchObject({
      address: moved,
      node_uuid: second.uuid,
      name: null,
      portgroup_uuid: null,
      pxe_enabled: true,
      physical_network: null,
      is_smartnic: false,
      extra: { b: 2 },
    });
    expect(await baremetal.json(admin, `port group show ${portgroup}`)).toMatchObject({
      address: null,
      name: null,
      mode: 'active-backup',
      properties: { x: 1 },
      extra: { b: 2 },
    });
    expect(await uuids(lessee, 'port list')).toEqual([]);
    expect(await baremetal.lines(admin, `port delete ${port}`)).toEqual([`Deleted port ${port}`]);
    expect(await baremetal.lines(admin, `port group delete ${portgroup}`)).toEqual([
      `Deleted port group ${portgroup}`,
    ]);
  });
});

describe('openstack baremetal volume', () => {
  it('connector create, list, set, unset and delete', async () => {
    const uuid = randomUUID();
    const create = `volume connector create --node ${node.uuid} --uuid ${uuid} --type iqn --connector-id iqn.${uuid} --extra a=1`;
    expect(await baremetal.json(admin, create)).toMatchObject({
      uuid,
      node_uuid: node.uuid,
      type: 'iqn',
      connector_id: `iqn.${uuid}`,
      extra: { a: 1 },
    });
    const list = `volume connector list --node ${node.name}`;
    expect(await uuids(lessee, list)).toEqual([uuid]);
    expect(await uuids(lessee, `${list} --long`)).toEqual([uuid]);
    expect(await baremetal.say(stranger, list)).toBe(noNode);
    const set = `volume connector set ${uuid} --type wwnn --connector-id 20:00 --extra b=2 --node ${second.uuid}`;
    expect(await baremetal.say(admin, set)).toBe('ok');
    expect(await baremetal.say(admin, `volume connector unset ${uuid} --extra a`)).toBe('ok');
    expect(await baremetal.json(admin, `volume connector show ${uuid}`)).toMatchObject({
      type: 'wwnn',
      connector_id: '20:00',
      extra: { b: 2 },
      node_uuid: second.uuid,
    });
    expect(await baremetal.lines(admin, `volume connector delete ${uuid}`)).toEqual([
      `Deleted volume connector ${uuid}`,
    ]);
  });

  it('target create, list, set, unset and delete, its properties for administrators only', async () => {
    const uuid = randomUUID();
    const create = `volume target create --node ${node.uuid} --uuid ${uuid} --type iscsi --boot-index 0 --volume-id v1 --property target_portal=192.0.2.7 --property auth_password=secret`;
    const properties = { target_portal: '192.0.2.7', auth_password: '******' };
    expect(await baremetal.json(admin, create)).toMatchObject({ uuid, properties });
    const viewOf = (persona: typeof admin) =>
      baremetal.json(persona, `volume target show ${uuid} --fields properties boot_index`);
    expect(await viewOf(admin)).toEqual({ properties, boot_index: 0 });
    expect(await viewOf(lessee)).toEqual({ properties: {}, boot_index: 0 });
    expect(await uuids(lessee, `volume target list --node ${node.name} --long`)).toEqual([uuid]);
    const set = `volume target set ${uuid} --type fibre_channel --boot-index 1 --volume-id v2 --property lun=3`;
    expect(await baremetal.say(admin, set)).toBe('ok');
    expect(await baremetal.say(admin, `volume target unset ${uuid} --property target_portal`)).toBe(
      'ok',
    );
    expect(await baremetal.json(systemReader, `volume target show ${uuid}`)).toMatchObject({
      volume_type: 'fibre_channel',
      boot_index: 1,
      volume_id: 'v2',
      properties: { lun: 3, auth_password: '******' },
    });
    expect(await baremetal.lines(admin, `volume target delete ${uuid}`)).toEqual([
      `Deleted volume target ${uuid}`,
    ]);
  });
});
