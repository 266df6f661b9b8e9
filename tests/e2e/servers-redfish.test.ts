import { randomUUID } from 'node:crypto';
import { createServer as createHttpServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { availableNode, type FleetNode, imported, nodeOf } from '../support/fleet.js';
import { certificates } from '../support/paths.js';
import { inProject, newProject } from '../support/personas.js';
import { act, askNova, createServer, deletedServer, stableServer } from '../support/servers.js';
import { redfishSystemId, sushyEmulator, type SushyEmulator } from '../support/sushy-emulator.js';
import { sharedTenure, type Tenure } from '../support/tenure.js';
import { eventually } from '../support/wait.js';

// The life of a server on a machine of a real Redfish emulator, which boots the server's image from virtual media.

const project = newProject('redfish-servers');
const owner = inProject(project, 'member');
const resourceClass = `class-${project}`;
const password = `s3cret-${randomUUID()}`;
const machine = randomUUID();
const WITHIN = 120_000;

let tenure: Tenure;
let emulator: SushyEmulator;
let images: Server;
let imagesUrl: string;
let node: FleetNode;

beforeAll(async () => {
  tenure = await sharedTenure();
  emulator = await sushyEmulator({
    systems: [{ name: 'server', uuid: machine }],
    username: 'operator',
    password,
  });
  // The emulator fetches what is put into its drive.
  images = createHttpServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream' }).end('an image');
  });
  await new Promise<void>((resolve) => {
    images.listen(0, '127.0.0.1', resolve);
  });
  imagesUrl = `http://127.0.0.1:${String((images.address() as AddressInfo).port)}`; // it listens on TCP
  node = await imported(
    tenure,
    availableNode(`${project}-node`, {
      owner: project,
      resource_class: resourceClass,
      driver: 'redfish',
      deploy_interface: 'ramdisk',
      driver_info: {
        redfish_address: emulator.url,
        redfish_system_id: redfishSystemId(machine),
        redfish_username: 'operator',
        redfish_password: password,
        redfish_verify_ca: certificates.ca,
      },
    }),
  );
});

afterAll(async () => {
  images.close();
  await emulator.stop();
});

const inDrive = async (): Promise<unknown> =>
  (await emulator.read(`/redfish/v1/Systems/${machine}/VirtualMedia/Cd`))['Image'];

describe('a server on a Redfish machine', () => {
  it('is created, stopped, started, rebuilt and deleted, and the machine does it', async () => {
    const first = `${imagesUrl}/first.iso`;
    const id = await createServer(tenure, owner, {
      name: 'iron',
      flavorRef: resourceClass,
      imageRef: first,
    });
    expect(await stableServer(tenure, owner, id, WITHIN)).toMatchObject({ status: 'ACTIVE' });
    expect(await inDrive()).toBe(first);
    expect(await emulator.powerState(machine)).toBe('On');

    expect((await act(tenure, owner, id, { 'os-stop': null })).status).toBe(202);
    expect(await stableServer(tenure, owner, id, WITHIN)).toMatchObject({ status: 'SHUTOFF' });
    expect(await emulator.powerState(machine)).toBe('Off');

    expect((await act(tenure, owner, id, { 'os-start': null })).status).toBe(202);
    expect(await stableServer(tenure, owner, id, WITHIN)).toMatchObject({ status: 'ACTIVE' });
    expect(await emulator.powerState(machine)).toBe('On');

    const second = `${imagesUrl}/second.iso`;
    expect((await act(tenure, owner, id, { rebuild: { imageRef: second } })).status).toBe(202);
    expect(await stableServer(tenure, owner, id, WITHIN)).toMatchObject({ status: 'ACTIVE' });
    expect(await inDrive()).toBe(second);

    // The node has no rescue interface: the server stays what it is.
    expect((await act(tenure, owner, id, { rescue: null })).status).toBe(200);
    expect(await stableServer(tenure, owner, id, WITHIN)).toMatchObject({ status: 'ACTIVE' });

    expect((await askNova(tenure, owner, `DELETE /v2.1/servers/${id}`)).status).toBe(204);
    await deletedServer(tenure, owner, id, WITHIN);
    await eventually(
      () => nodeOf(tenure, node.uuid),
      (after) => after['provision_state'] === 'available' && after['instance_uuid'] === null,
      { within: WITHIN, what: 'the node free again' },
    );
    expect(await emulator.powerState(machine)).toBe('Off');
    expect([null, '', undefined]).toContain(await inDrive());
  }, 500_000);
});
