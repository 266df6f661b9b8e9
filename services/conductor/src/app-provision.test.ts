import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { NO_OBLIGATIONS, type NodeRecord } from '@tenure/contracts';
import { aNode, type FakeInventory, faultOf } from '@tenure/testing';
import { ConductorHarness } from './testing/conductor-harness.js';
import { SignedCalls } from './testing/signed-calls.js';

let harness: ConductorHarness;
let inventory: FakeInventory;
let call: SignedCalls['call'];

beforeEach(() => {
  harness = new ConductorHarness();
  ({ inventory } = harness);
  ({ call } = new SignedCalls(harness));
});

afterEach(async () => {
  await harness.close();
});

const at = (node: NodeRecord, path: string): string => `/v1/nodes/${node.uuid}/${path}`;

describe('PUT states/provision', () => {
  it('is accepted with an empty 202 and the place to look', async () => {
    const node = inventory.put(aNode({ name: 'rack-1' }));
    const response = await call('put', '/v1/nodes/rack-1/states/provision', node, {
      body: { target: 'active', configdrive: 'QUFBQQ==' },
    });
    expect([response.status, response.text]).toEqual([202, '']);
    expect(response.headers).toMatchObject({
      'content-length': '0',
      location: 'http://tenure.example:6385/v1/nodes/rack-1/states',
    });
    expect(await harness.completed(node)).toMatchObject({
      provision_state: 'active',
      instance_info: { configdrive: 'QUFBQQ==' },
      reservation: null,
    });
  });

  it('takes a config drive of some hundred kilobytes', async () => {
    const node = inventory.put(aNode());
    const body = { target: 'active', configdrive: 'A'.repeat(400_000) };
    expect((await call('put', at(node, 'states/provision'), node, { body })).status).toBe(202);
    await harness.completed(node);
  });

  it('says as Ironic does that a verb is none', async () => {
    const node = inventory.put(aNode());
    const response = await call('put', at(node, 'states/provision'), node, {
      body: { target: 'bogus' },
    });
    expect(response.status).toBe(400);
    expect(faultOf(response)).toBe(
      `The requested action "bogus" can not be performed on node "${node.uuid}" while it is in state "available".`,
    );
  });

  it.each([
    ['1.3', 'manage', 406],
    ['1.4', 'manage', 202],
    ['1.16', 'adopt', 406],
    ['1.1', 'active', 202],
    ['1.65', 'undeploy', 406],
  ])('at %s, %s answers %i', async (version, target, status) => {
    const node = inventory.put(aNode());
    const response = await call('put', at(node, 'states/provision'), node, {
      body: { target },
      api_version: version,
    });
    expect(response.status).toBe(status);
    await harness.completed(node);
  });

  it("answers 409 with the inventory's message when the node is locked", async () => {
    const node = inventory.put(aNode({ reservation: 'other' }));
    const response = await call('put', at(node, 'states/provision'), node, {
      body: { target: 'rebuild' },
    });
    expect(response.status).toBe(409);
    expect(faultOf(response)).toBe(
      `Node ${node.uuid} is locked by host other, please retry after the current operation is completed.`,
    );
  });

  it('answers 403 for a protected node', async () => {
    const node = inventory.put(aNode({ provision_state: 'active', protected: true }));
    const response = await call('put', at(node, 'states/provision'), node, {
      body: { target: 'deleted' },
    });
    expect(response.status).toBe(403);
    expect(faultOf(response)).toBe(
      `Node ${node.uuid} is protected and can not be undeployed, rebuilt or deleted`,
    );
  });

  it('sends a stale decision back to the gateway', async () => {
    const node = inventory.put(aNode());
    inventory.put({ ...node, tenancy_revision: 2 });
    const response = await call('put', at(node, 'states/provision'), node, {
      body: { target: 'active' },
    });
    expect(response.status).toBe(412);
    expect(response.headers['x-tenure-stale']).toBe('tenancy');
  });

  it('is for the gateway and the compute service only', async () => {
    const node = inventory.put(aNode());
    const { call: asAllocation } = new SignedCalls(harness, 'allocation');
    const response = await asAllocation('put', at(node, 'states/provision'), node, {
      body: { target: 'active' },
    });
    expect(response.status).toBe(403);
    expect(inventory.writes).toEqual([]);
  });
});

describe('vifs', () => {
  const obligations = { ...NO_OBLIGATIONS, filter: { mode: 'all' as const, predicates: [] } };

  it('are attached, listed and detached', async () => {
    const node = inventory.put(aNode());
    harness.parts.put('ports', node.uuid);
    const body = { id: '11111111-2222-3333-4444-555555555555' };
    expect((await call('get', at(node, 'vifs'), node)).body).toEqual({ vifs: [] });
    const attached = await call('post', at(node, 'vifs'), node, { body, obligations });
    expect([attached.status, attached.text]).toEqual([204, '']);
    expect((await call('get', at(node, 'vifs'), node)).body).toEqual({ vifs: [body] });
    const again = await call('post', at(node, 'vifs'), node, { body, obligations });
    expect(again.status).toBe(409);
    expect((await call('delete', at(node, `vifs/${body.id}`), node)).status).toBe(204);
    expect((await call('delete', at(node, `vifs/${body.id}`), node)).status).toBe(400);
  });

  it.each([
    [{}],
    [{ id: '' }],
    [{ id: 'a/b' }],
    [{ id: 'x'.repeat(256) }],
    [{ id: 7 }],
    [{ id: 'v', port_uuid: 'p' }],
  ])('are not attached with %j', async (body) => {
    const node = inventory.put(aNode());
    harness.parts.put('ports', node.uuid);
    const response = await call('post', at(node, 'vifs'), node, { body, obligations });
    expect(response.status).toBe(400);
    expect(inventory.writes).toEqual([]);
  });

  it('cannot be attached to a chosen port before 1.67', async () => {
    const node = inventory.put(aNode());
    const port = harness.parts.put('ports', node.uuid);
    const body = { id: 'vif-1', port_uuid: port.uuid };
    const response = await call('post', at(node, 'vifs'), node, { body, api_version: '1.65' });
    expect(response.status).toBe(406);
  });

  it('are refused to whom the policy names no VIF', async () => {
    const node = inventory.put(aNode());
    harness.parts.put('ports', node.uuid);
    const response = await call('post', at(node, 'vifs'), node, { body: { id: 'vif-1' } });
    expect(response.status).toBe(400);
    expect(faultOf(response)).toBe(`VIF vif-1 cannot be attached to node ${node.uuid}.`);
  });
});

describe('introspection', () => {
  const of = (node: NodeRecord, below = ''): string => `/v1/introspection/${node.uuid}${below}`;

  it('is started, its status is returned, and then its data', async () => {
    const node = inventory.put(aNode({ provision_state: 'manageable' }));
    const started = await call('post', of(node), null, { body: { uuid: node.uuid } });
    expect([started.status, started.text]).toEqual([202, '']);
    await harness.completed(node);
    const status = await call('get', of(node), null);
    expect(status.body).toEqual({
      uuid: node.uuid,
      state: 'finished',
      started_at: expect.stringMatching(/^2/u),
      finished_at: expect.stringMatching(/^2/u),
      finished: true,
      error: null,
      links: [{ href: `http://tenure.example:6385/v1/introspection/${node.uuid}`, rel: 'self' }],
    });
    expect((await call('get', of(node, '/data'), null)).body).toMatchObject({
      inventory: { cpu: { count: 4 } },
    });
  });

  it('waits for an agent, is aborted, and says so', async () => {
    const node = inventory.put(
      aNode({ provision_state: 'manageable', inspect_interface: 'agent' }),
    );
    await call('post', of(node), null);
    await harness.completed(node);
    expect((await call('get', of(node), null)).body).toMatchObject({
      state: 'waiting',
      finished: false,
      finished_at: null,
    });
    expect((await call('post', of(node, '/abort'), null)).status).toBe(202);
    expect((await call('get', of(node), null)).body).toMatchObject({
      state: 'error',
      finished: true,
      error: 'The inspect wait was aborted by request.',
    });
  });

  it('is refused in a state that does not allow it', async () => {
    const node = inventory.put(aNode({ provision_state: 'active' }));
    expect((await call('post', of(node), null)).status).toBe(400);
    expect((await call('post', of(node, '/abort'), null)).status).toBe(400);
  });

  it('of a node that is missing, or was never introspected, is not found', async () => {
    const node = inventory.put(aNode());
    expect((await call('get', of(node), null)).status).toBe(404);
    expect((await call('get', of(node, '/data'), null)).status).toBe(404);
    expect((await call('post', of(node, '/data/unprocessed'), null)).status).toBe(404);
    for (const method of ['get', 'post'] as const)
      expect((await call(method, '/v1/introspection/no-such-node', null)).status).toBe(404);
  });

  it('is applied again from the stored data, or from others, which are stored', async () => {
    const node = inventory.put(aNode({ provision_state: 'manageable' }));
    inventory.documents.set(`inventory of ${node.uuid}`, {
      inventory: { cpu: { count: 96 } },
      plugin_data: {},
    });
    const target = of(node, '/data/unprocessed');
    expect((await call('post', target, null, { body: { inventory: 'x' } })).status).toBe(400);
    expect((await call('post', target, null)).status).toBe(202);
    expect(inventory.node(node.uuid)).toMatchObject({
      properties: { cpus: 96 },
      reservation: null,
    });
    const body = { inventory: { cpu: { count: 12 } }, extra: 1 };
    expect((await call('post', target, null, { body })).status).toBe(202);
    expect(inventory.node(node.uuid)).toMatchObject({
      properties: { cpus: 12 },
      reservation: null,
    });
    expect((await call('get', of(node, '/data'), null)).body).toEqual(body);
  });

  it('is listed page by page, without the nodes that never were introspected', async () => {
    const done = { inspection_finished_at: '2026-11-21T06:00:00+00:00' };
    const first = inventory.put(aNode(done));
    inventory.put(aNode());
    const second = inventory.put(aNode(done));
    const page = await call('get', '/v1/introspection?limit=1', null);
    expect(page.headers['x-tenure-policy-filter']).toBe('all');
    expect(page.body).toMatchObject({
      introspection: [{ uuid: first.uuid }],
      next: `http://tenure.example:6385/v1/introspection?limit=1&marker=${first.uuid}`,
    });
    const rest = await call('get', `/v1/introspection?limit=1&marker=${first.uuid}`, null);
    expect(rest.body).toEqual({ introspection: [expect.objectContaining({ uuid: second.uuid })] });
    expect((await call('get', '/v1/introspection?state=in:error,waiting', null)).body).toEqual({
      introspection: [],
    });
    expect((await call('get', '/v1/introspection?limit=x', null)).status).toBe(400);
  });
});
