import { createServer as createHttpServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Clients, startClients } from '../support/clients.js';
import { availableNode } from '../support/fleet.js';
import { inProject, newProject, type Persona } from '../support/personas.js';
import { sharedTenure, type Tenure } from '../support/tenure.js';
import { eventually } from '../support/wait.js';

// `openstack server …` of python-openstackclient and openstacksdk's compute proxy, unchanged, on fake hardware.

const project = newProject('osc-servers');
const owner = inProject(project, 'member');
const reader = inProject(project, 'reader');
const resourceClass = `class-${project}`;
const image = 'http://images.example/osc.iso';

let tenure: Tenure;
let clients: Clients;
let neighbours: Server;
let neighboursUrl: string;

function documentFor(url: string, host: string): unknown {
  const image = /^\/v2\/images\/(.+)$/u.exec(url)?.[1];
  if (image !== undefined) return { id: image, name: image, status: 'active' };
  const version = (id: string, path: string) => ({
    id,
    status: 'CURRENT',
    links: [{ rel: 'self', href: `http://${host}${path}` }],
  });
  return url.startsWith('/v3')
    ? { version: version('v3.14', '/v3/') }
    : { versions: [version('v2.16', '/v2/')], images: [] };
}

/**
 * The services that the shell looks up beside the compute API before it sends anything: an image service, which here knows every image
 * by its address, and the version of an identity service.
 */
function startNeighbours(): Promise<Server> {
  const server = createHttpServer((request, response) => {
    const url = decodeURIComponent(request.url ?? '');
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(documentFor(url, String(request.headers.host))));
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve(server);
    });
  });
}

const splitLine = (line: string): readonly string[] => line.split(' ');

async function openstack(persona: Persona, line: string): Promise<string> {
  const result = await clients.oscBeside(neighboursUrl, persona, ...splitLine(line));
  if (result.code !== 0) throw new Error(`openstack ${line}: ${result.stderr.trim()}`);
  return result.stdout;
}

const viewOf = async (persona: Persona, line: string): Promise<Readonly<Record<string, unknown>>> =>
  JSON.parse(await openstack(persona, `${line} -f json`)) as Readonly<Record<string, unknown>>;

beforeAll(async () => {
  tenure = await sharedTenure();
  clients = startClients(tenure);
  neighbours = await startNeighbours();
  neighboursUrl = `http://127.0.0.1:${String((neighbours.address() as AddressInfo).port)}`; // it listens on TCP
  await tenure.importDocument({
    nodes: ['one', 'two'].map((name) =>
      availableNode(`${project}-${name}`, { owner: project, resource_class: resourceClass }),
    ),
  });
});

afterAll(() => {
  clients.stop();
  neighbours.close();
});

const status = async (name: string): Promise<unknown> =>
  (await viewOf(owner, `server show ${name}`))['status'];

const becomes = (name: string, wanted: string): Promise<unknown> =>
  eventually(
    () => status(name),
    (found) => found === wanted,
    { within: 60_000, every: 500, what: `${name} ${wanted}` },
  );

describe('openstack server', () => {
  it('creates, lists, stops, starts, rebuilds, rescues, locks and deletes', async () => {
    const api = '--os-compute-api-version 2.93';
    const device = `--block-device uuid=${image},source_type=image,destination_type=local,boot_index=0`;
    const name = `${project}-web`;
    const created = await viewOf(
      owner,
      `${api} server create --flavor ${resourceClass} ${device} --nic none --description text --property role=web --wait ${name}`,
    );
    expect(created).toMatchObject({
      status: 'ACTIVE',
      name,
      description: 'text',
      properties: { role: 'web' },
      project_id: project,
      user_id: owner.user,
    });
    expect(await openstack(owner, 'server list -f value -c Name -c Status')).toBe(
      `${name} ACTIVE\n`,
    );
    expect(await openstack(reader, 'server list --long -f value -c Name -c Status')).toBe(
      `${name} ACTIVE\n`,
    );
    await openstack(owner, `server stop ${name}`);
    await becomes(name, 'SHUTOFF');
    await openstack(owner, `server start ${name}`);
    await becomes(name, 'ACTIVE');
    await openstack(owner, `server reboot --hard --wait ${name}`);
    await openstack(owner, `server rebuild --image ${image} --wait ${name}`);
    await openstack(owner, `server rescue --password secret ${name}`);
    await becomes(name, 'RESCUE');
    await openstack(owner, `server unrescue ${name}`);
    await becomes(name, 'ACTIVE');
    await openstack(owner, `${api} server lock --reason why ${name}`);
    await expect(openstack(owner, `server delete --wait ${name}`)).rejects.toThrow('is locked');
    await expect(openstack(reader, `server unlock ${name}`)).rejects.toThrow(
      "Policy doesn't allow os_compute_api:os-lock-server:unlock to be performed.",
    );
    await openstack(owner, `server unlock ${name}`);
    await openstack(owner, `server dump create ${name}`);
    await expect(openstack(owner, `server pause ${name}`)).rejects.toThrow('501');
    await openstack(owner, `server delete --wait ${name}`);
    expect(await openstack(owner, 'server list -f value -c Name')).toBe('');
  }, 300_000);

  it('names an image that its image service knows', async () => {
    const name = `${project}-image`;
    await openstack(
      owner,
      `--os-compute-api-version 2.93 server create --flavor ${resourceClass} --image ${image} --nic none --wait ${name}`,
    );
    expect(await status(name)).toBe('ACTIVE');
    await openstack(owner, `server delete --wait ${name}`);
  }, 120_000);
});

describe('openstack flavor and keypair', () => {
  it('shows the classes of nodes that the project may use', async () => {
    expect(await openstack(owner, 'flavor list -f value -c ID')).toBe(`${resourceClass}\n`);
    expect(
      await openstack(inProject(newProject('no-nodes'), 'admin'), 'flavor list -f value -c ID'),
    ).toBe('');
  });

  it('makes and deletes key pairs of the user', async () => {
    const key = await openstack(owner, `keypair create ${project}`);
    expect(key).toContain('PRIVATE KEY');
    expect(await openstack(owner, 'keypair list -f value -c Name')).toContain(project);
    await openstack(owner, `keypair delete ${project}`);
    await expect(openstack(owner, `keypair show ${project}`)).rejects.toThrow(/404|No Key/u);
  });
});

describe('openstacksdk', () => {
  it('makes a server with a key pair and user data, and waits for it', async () => {
    const { error, result } = await clients.sdk(
      owner,
      `
key = conn.compute.create_keypair(name="${project}-sdk", public_key="ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN5VmzBvp2eaHSGA2AGvpJFvx0JhVSgGoYLMEXL4O8sn a@b")
server = conn.compute.create_server(name="${project}-sdk", flavor_id="${resourceClass}", image_id="${image}",
                                    networks="none", key_name=key.name, user_data="IyEvYmluL3NoCg==", metadata={"a": "b"}, tags=["x"])
server = conn.compute.wait_for_server(server, wait=60)
found = [one.name for one in conn.compute.servers(tags="x")]
conn.compute.update_server(server, description="changed")
server = conn.compute.get_server(server.id)
updated = [server.status, server.description, server.key_name, server.metadata, server.tags, server.is_locked]
conn.compute.rebuild_server(server, image="${image}")
server = conn.compute.wait_for_server(server, wait=60)
conn.compute.delete_server(server)
conn.compute.wait_for_delete(server, wait=60)
conn.compute.delete_keypair(key)
result = [found, updated]
`,
    );
    expect(error).toBeNull();
    expect(result).toEqual([
      [`${project}-sdk`],
      ['ACTIVE', 'changed', `${project}-sdk`, { a: 'b' }, ['x'], false],
    ]);
  }, 200_000);
});
