import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CommandLine, commandLine } from '../support/clients-command-line.js';
import { type Clients, startClients } from '../support/clients.js';
import { availableNode, type FleetNode, imported, stableNode } from '../support/fleet.js';
import { askLatest } from '../support/http-client.js';
import { certificates } from '../support/paths.js';
import { newProject, systemAdmin } from '../support/personas.js';
import { redfishSystemId, sushyEmulator, type SushyEmulator } from '../support/sushy-emulator.js';
import { sharedTenure, type Tenure } from '../support/tenure.js';
import { eventually } from '../support/wait.js';

// Everything but power that the real command line can do to a machine of a real Redfish emulator. Features that the emulator
// lacks are refused, with a message that says so.

const project = newProject('redfish-management');
const password = `s3cret-${randomUUID()}`;
const machine = randomUUID();

let tenure: Tenure;
let clients: Clients;
let baremetal: CommandLine;
let emulator: SushyEmulator;
let images: Server;
let image: string;
let node: FleetNode;

const redfishNode = (name: string, fields: Readonly<Record<string, unknown>> = {}): FleetNode =>
  availableNode(`${project}-${name}`, {
    owner: project,
    driver: 'redfish',
    power_state: null,
    provision_state: 'manageable',
    driver_info: {
      redfish_address: emulator.url,
      redfish_system_id: redfishSystemId(machine),
      redfish_username: 'operator',
      redfish_password: password,
      redfish_verify_ca: certificates.ca,
    },
    ...fields,
  });

const say = (command: string): Promise<string> => baremetal.say(systemAdmin, `node ${command}`);
const stable = (): ReturnType<typeof stableNode> => stableNode(tenure, node.uuid, 40_000);

beforeAll(async () => {
  tenure = await sharedTenure();
  clients = startClients(tenure);
  baremetal = commandLine(clients);
  emulator = await sushyEmulator({
    systems: [{ name: 'managed', uuid: machine }],
    username: 'operator',
    password,
  });
  // The emulator fetches what is put into its drive.
  images = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream' }).end('an image');
  });
  await new Promise<void>((resolve) => {
    images.listen(0, '127.0.0.1', resolve);
  });
  image = `http://127.0.0.1:${String((images.address() as AddressInfo).port)}/boot.iso`;
  node = await imported(tenure, redfishNode('managed'));
});

afterAll(async () => {
  images.close();
  clients.stop();
  await emulator.stop();
});

describe('a machine of a Redfish emulator, by the command line', () => {
  it('boots from the requested device', async () => {
    expect(await say(`boot device set ${node.name} pxe`)).toBe('ok');
    const show = `node boot device show ${node.name}`;
    // The emulator knows no other override than a lasting one.
    expect(await baremetal.json(systemAdmin, show)).toEqual({
      boot_device: 'pxe',
      persistent: true,
    });
    expect(await say(`boot device set ${node.name} disk --persistent`)).toBe('ok');
    expect(await baremetal.json(systemAdmin, show)).toEqual({
      boot_device: 'disk',
      persistent: true,
    });
    expect(await baremetal.json(systemAdmin, `${show} --supported`)).toEqual({
      supported_boot_devices: 'pxe, disk, cdrom, uefihttp',
    });
    expect(await say(`boot device set ${node.name} bios`)).toBe(
      'Invalid boot device bios specified. (HTTP 400)',
    );
  }, 60_000);

  it('changes its boot mode and secure boot', async () => {
    const show = `node show ${node.name} --fields boot_mode secure_boot`;
    expect(await say(`boot mode set ${node.name} bios`)).toBe('ok');
    expect(await stable()).toMatchObject({ last_error: null });
    expect(await say(`secure boot on ${node.name}`)).toBe('ok');
    expect(await stable()).toMatchObject({ last_error: null });
    expect(await baremetal.json(systemAdmin, show)).toEqual({
      boot_mode: 'bios',
      secure_boot: true,
    });
  }, 60_000);

  it('takes an image into its drive, and gives it back', async () => {
    // The command line knows no virtual media yet.
    const vmedia = (verb: string, body?: Readonly<Record<string, unknown>>) =>
      askLatest(tenure, systemAdmin, `${verb} /v1/nodes/${node.uuid}/vmedia`, body);
    const drive = async (): Promise<unknown> => {
      const { Image, Inserted } = await emulator.read(
        `/redfish/v1/Systems/${machine}/VirtualMedia/Cd`,
      );
      return { Image, Inserted };
    };
    const attached = await vmedia('POST', { device_type: 'cdrom', image_url: image });
    expect([attached.status, attached.text]).toEqual([204, '']);
    expect(await drive()).toEqual({ Image: image, Inserted: true });
    const detached = await vmedia('DELETE');
    expect([detached.status, detached.text]).toEqual([204, '']);
    expect(await drive()).toEqual({ Image: '', Inserted: false });
  }, 60_000);

  it('is inspected: ports by their addresses, and an inventory', async () => {
    expect(await say(`inspect ${node.name}`)).toBe('ok');
    const after = await eventually(stable, (one) => one['provision_state'] === 'manageable', {
      within: 60_000,
      what: 'end of the inspection',
    });
    expect(after).toMatchObject({ last_error: null });
    expect(
      await baremetal.lines(systemAdmin, `port list --node ${node.name} -f value -c Address`),
    ).toEqual(['52:54:00:00:00:10']);
    const inventory = await askLatest(tenure, systemAdmin, `GET /v1/nodes/${node.uuid}/inventory`);
    expect(inventory.json).toMatchObject({
      inventory: { interfaces: [{ mac_address: '52:54:00:00:00:10' }] },
    });
  }, 120_000);

  it('blinks', async () => {
    const indicators = `/v1/nodes/${node.uuid}/management/indicators`;
    const lamp = `${indicators}/${machine}@system`;
    const listed = await askLatest(tenure, systemAdmin, `GET ${indicators}`);
    expect(listed.json).toMatchObject({
      indicators: [
        { component: 'chassis', states: ['blinking', 'off', 'on'] },
        { component: 'system', name: `${machine}@system`, states: ['blinking', 'off', 'on'] },
      ],
    });
    const set = await askLatest(tenure, systemAdmin, `PUT ${lamp}`, { state: 'blinking' });
    expect([set.status, set.text]).toEqual([204, '']);
    expect((await askLatest(tenure, systemAdmin, `GET ${lamp}`)).json).toEqual({
      state: 'blinking',
    });
  });

  it('has no BIOS settings, and a BMC with a version', async () => {
    expect(await say(`validate ${node.name}`)).toBe('ok');
    const firmware = () =>
      baremetal.lines(systemAdmin, `node firmware list ${node.name} -f value -c Component`);
    expect(
      await eventually(firmware, (lines) => lines.length > 0, { what: 'firmware of the node' }),
    ).toEqual(['bmc']);
    expect(
      await baremetal.lines(systemAdmin, `node bios setting list ${node.name} -f value`),
    ).toEqual([]);
  });

  it('refuses the NMI that the emulator only claims to offer', async () => {
    expect(await say(`inject nmi ${node.name}`)).toBe(
      'The BMC answered 501 (Base.1.0.GeneralError). (HTTP 502)',
    );
  });

  it('lists its vendor methods, and says what the BMC lacks', async () => {
    expect(
      await baremetal.lines(systemAdmin, `node passthru list ${node.name} -f value -c Name`),
    ).toEqual([
      'clear_event_log',
      'create_subscription',
      'delete_subscription',
      'eject_vmedia',
      'get_all_subscriptions',
      'get_event_log',
      'get_subscription',
    ]);
    const call = (method: string) => say(`passthru call ${node.name} ${method}`);
    expect(await call('get_event_log --http-method GET')).toBe(
      'The BMC has no event log. (HTTP 400)',
    );
    expect(await call('get_all_subscriptions --http-method GET')).toBe(
      'The BMC has no event service. (HTTP 400)',
    );
    expect(await call('eject_vmedia')).toBe('ok');
    expect(await stable()).toMatchObject({ last_error: null });
  }, 60_000);

  it('has no console, and says so at once or in the end', async () => {
    const refusal =
      'Driver redfish does not support console (disabled or not implemented). (HTTP 400)';
    expect(await say(`console enable ${node.name}`)).toBe(refusal);
    expect(await say(`console show ${node.name}`)).toBe(refusal);
    expect(await say(`set ${node.name} --console-interface redfish-serial`)).toBe('ok');
    expect(await say(`console enable ${node.name}`)).toBe('ok');
    expect(await stable()).toMatchObject({
      console_enabled: false,
      last_error:
        'Error enabling the console. Reason: Driver redfish does not support console (the BMC offers no serial console over SSH).',
    });
  }, 60_000);
});
