import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createServiceClient, type ServiceClient } from '@tenure/http';
import { newCallContext } from '@tenure/signed-context';
import { aNode, keyPair } from '@tenure/testing';
import {
  createHttpNodeLookup,
  createHttpNodePorts,
  createInventoryNetworkRegistry,
  createNeutronNetworkRegistry,
} from './node-parts-http.js';

interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

let server: Server;
let client: ServiceClient;
let requested: string[];
let answer: Answer;

const context = newCallContext('test');

beforeEach(async () => {
  requested = [];
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requested.push(
        `${String(request.method)} ${String(request.url)} ${Buffer.concat(chunks).toString()}`.trim(),
      );
      response.statusCode = answer.status;
      response.end(answer.body === undefined ? undefined : JSON.stringify(answer.body));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // listens on a TCP port
  client = createServiceClient({
    part: 'inventory',
    baseUrl: `http://127.0.0.1:${String(port)}`,
    keys: keyPair('conductor', 'inventory').caller,
    deadlineMs: 15_000,
  });
});

afterEach(async () => {
  await client.close();
  server.close();
});

const problem = (status: number, code: string): Answer => ({
  status,
  body: { type: 'about:blank', title: 'x', status, detail: 'why', code },
});

describe('ports', () => {
  const port = { uuid: 'p-1', address: null, internal_info: {}, portgroup_uuid: null };

  it('are created under the lock', async () => {
    const ports = createHttpNodePorts(client);
    const found = { holder: 'c', fence: 4, address: '52:54:00:00:00:01', pxeEnabled: true };
    answer = { status: 201, body: port };
    await ports.create(context, 'n-1', found);
    expect(requested).toEqual([
      'POST /internal/nodes/n-1/ports {"holder":"c","fence":4,"address":"52:54:00:00:00:01","pxe_enabled":true}',
    ]);
    answer = problem(409, 'duplicate');
    await expect(ports.create(context, 'n-1', found)).rejects.toMatchObject({ code: 'duplicate' });
  });

  it('are listed and changed under the lock', async () => {
    const ports = createHttpNodePorts(client);
    answer = { status: 200, body: { ports: [port] } };
    expect(await ports.list(context, 'n-1', 'ports')).toEqual([port]);
    answer = { status: 200, body: { portgroups: [] } };
    expect(await ports.list(context, 'n-1', 'portgroups')).toEqual([]);
    answer = { status: 200, body: port };
    const set = { internal_info: { tenant_vif_port_id: 'v' } };
    await ports.change(
      context,
      'n-1',
      { kind: 'ports', uuid: 'p-1' },
      { holder: 'c', fence: 4, set },
    );
    expect(requested).toEqual([
      'GET /internal/nodes/n-1/ports',
      'GET /internal/nodes/n-1/portgroups',
      'PATCH /internal/nodes/n-1/ports/p-1 {"holder":"c","fence":4,"set":{"internal_info":{"tenant_vif_port_id":"v"}}}',
    ]);
  });

  it('of an odd answer are none', async () => {
    answer = { status: 200, body: { ports: [{}] } };
    await expect(createHttpNodePorts(client).list(context, 'n-1', 'ports')).rejects.toMatchObject({
      status: 503,
    });
  });

  it('pass a conflict on', async () => {
    answer = problem(409, 'duplicate');
    const change = { holder: 'c', fence: 4, set: {} };
    await expect(
      createHttpNodePorts(client).change(context, 'n-1', { kind: 'ports', uuid: 'p' }, change),
    ).rejects.toMatchObject({ status: 409, code: 'duplicate' });
  });
});

describe('a lookup', () => {
  it('names the node, or its addresses, and the states', async () => {
    const node = aNode();
    answer = { status: 200, body: { nodes: [node] } };
    const lookup = createHttpNodeLookup(client);
    const waiting = ['inspect wait', 'deploying'];
    const addresses = ['52:54:00:00:00:12'];
    expect(await lookup.find(context, { addresses }, waiting)).toEqual([node]);
    await lookup.find(context, { nodeUuid: node.uuid, addresses: [] }, waiting);
    expect(requested).toEqual([
      'GET /internal/lookup?addresses=52%3A54%3A00%3A00%3A00%3A12&states=inspect+wait%2Cdeploying',
      `GET /internal/lookup?node_uuid=${node.uuid}&states=inspect+wait%2Cdeploying`,
    ]);
  });

  it('finds nothing, or fails', async () => {
    const lookup = createHttpNodeLookup(client);
    answer = { status: 200, body: { nodes: [] } };
    expect(await lookup.find(context, { addresses: ['x'] }, [])).toEqual([]);
    for (const odd of [problem(500, 'internal'), { status: 200, body: { uuid: 'n' } }]) {
      answer = odd;
      await expect(lookup.find(context, { addresses: ['x'] }, [])).rejects.toMatchObject({
        status: 503,
      });
    }
  });
});

describe('the registry of VIFs', () => {
  it.each([
    [
      "a project's",
      { project_id: 'project-a', in_use: true },
      { kind: 'project', id: 'project-a' },
    ],
    ['free', { project_id: 'project-a', in_use: false }, { kind: 'free' }],
    ["the operator's", { project_id: null, in_use: true }, { kind: 'operator' }],
  ])('knows from the inventory one that is %s', async (_whose, body, owner) => {
    answer = { status: 200, body };
    expect(await createInventoryNetworkRegistry(client).ownerOf(context, 'v/1')).toEqual(owner);
    expect(requested).toEqual(['GET /internal/claims/vif/v%2F1']);
  });

  it('knows from Neutron whose one is, and that there is none', async () => {
    const registry = createNeutronNetworkRegistry({
      projectOf: (id) => Promise.resolve(id === 'registered' ? 'project-a' : undefined),
    });
    expect(await registry.ownerOf(context, 'registered')).toEqual({
      kind: 'project',
      id: 'project-a',
    });
    expect(await registry.ownerOf(context, 'other')).toEqual({ kind: 'missing' });
  });
});
