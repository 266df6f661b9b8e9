import { afterEach, describe, expect, it } from '@jest/globals';
import { createAgentLimits } from './application/rate-limit/agent-limits.js';
import { faultIn } from './testing/answers.js';
import { ALLOW, decideWith, json, questionIn, tenancyOf } from './testing/fakes.js';
import {
  startTestGateway,
  type TestGateway,
  type TestOptions,
  type TestRequest,
} from './testing/test-gateway.js';

const NODE = {
  uuid: 'ed836491-07b5-49e8-95fc-6a53acab893b',
  owner: 'p1',
  lessee: null,
  tenancy_revision: 7,
};

const STEP = { interface: 'bios', step: 'apply_configuration', args: {} };
const DISK = { raid_level: '1', size_gb: 'MAX' };
const PORT = '0a4c3d5e-6f7a-4b8c-9d0e-1f2a3b4c5d6e';

let gateway: TestGateway;
async function start(options: TestOptions = {}): Promise<void> {
  gateway = await startTestGateway(options);
  gateway.inventory.answer = tenancyOf({ 'node-1': NODE }, (_request, response) => {
    json(response, 200, {});
  });
}
const withBody = (method: string, body: unknown): TestRequest => ({
  method,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

afterEach(() => gateway.stop());

describe('a change of provision state', () => {
  const PATH = '/v1/nodes/node-1/states/provision';

  it('passes the members of the body to the policy', async () => {
    await start();
    const body = { target: 'clean', clean_steps: [{ interface: 'deploy', step: 'erase' }] };
    expect((await gateway.fetch(PATH, withBody('PUT', body))).status).toBe(202);
    expect(gateway.pdp.received.map(questionIn)).toMatchObject([
      { action: 'baremetal:node:set_provision_state', fields: ['/target', '/clean_steps'] },
    ]);
    expect(gateway.pdp.received.map(questionIn)[0]).not.toHaveProperty('requested');
  });

  it.each([
    [{ target: 'active', configdrive: 'H4sI' }, 202],
    [{ target: 'active', configdrive: { meta_data: {} }, deploy_steps: [] }, 202],
    [{ target: 'rescue', rescue_password: 'x', disable_ramdisk: null }, 202],
    [{ target: 'service', service_steps: [STEP], clean_steps: null }, 202],
    [{ target: 'service', service_steps: [{}] }, 400],
    [{ target: 'clean', clean_steps: Array(256).fill(STEP) }, 400],
    [{ target: 'rescue', rescue_password: 'x'.repeat(256) }, 400],
    [{ target: 'clean', disable_ramdisk: 'yes' }, 400],
    [{ target: 'clean', runbook: 'r' }, 406],
    [{ target: 'clean', clean_steps: {} }, 400],
    [{ target: 'clean', other: 1 }, 400],
    [{}, 400],
  ])('%j is a %d', async (body, status) => {
    await start();
    expect((await gateway.fetch(PATH, withBody('PUT', body))).status).toBe(status);
  });
});

describe('bodies', () => {
  it.each([
    ['PUT', 'states/console', { enabled: true }, 202],
    ['PUT', 'states/console', {}, 400],
    ['PUT', 'management/inject_nmi', undefined, 202],
    ['PUT', 'management/inject_nmi', {}, 202],
    ['PUT', 'management/inject_nmi', null, 202],
    ['PUT', 'management/inject_nmi', { a: 1 }, 400],
    ['PUT', 'states/raid', { logical_disks: [DISK] }, 202],
    ['PUT', 'states/raid', { logical_disks: [] }, 400],
    ['PUT', 'states/raid', [], 400],
    ['POST', 'vifs', { id: 'vif-1', port_uuid: PORT, physical_network: 'n' }, 202],
    ['POST', 'vifs', { id: 'vif-1', port_uuid: 'p' }, 400],
    ['POST', 'vifs', {}, 400],
    ['PUT', 'traits', { traits: ['CUSTOM_X'] }, 200],
    ['PUT', 'traits', ['CUSTOM_X'], 400],
    ['PUT', 'traits/CUSTOM_X', undefined, 200],
    ['PUT', 'traits/CUSTOM_X', { a: 1 }, 400],
    ['POST', 'vendor_passthru?method=m', undefined, 202],
    ['POST', 'vendor_passthru?method=m', { any: { key: 1 } }, 202],
    ['POST', 'vendor_passthru?method=m', 'text', 400],
    ['DELETE', 'vendor_passthru?method=m', { any: 1 }, 400],
    ['DELETE', 'vendor_passthru?method=m', undefined, 202],
    ['POST', 'vendor_passthru?other=m', undefined, 400],
    ['POST', 'vendor_passthru/m', { any: { key: 1 } }, 202],
    ['DELETE', 'vendor_passthru/m', { any: 1 }, 400],
    ['POST', 'vendor_passthru/methods', {}, 405],
  ])('%s %s with %j is a %d', async (method, path, body, status) => {
    await start();
    const init = body === undefined ? { method } : withBody(method, body);
    expect((await gateway.fetch(`/v1/nodes/node-1/${path}`, init)).status).toBe(status);
  });

  it.each([
    [{ device_types: 'cdrom,disk' }, 202],
    [{ device_types: ['cdrom'] }, 202],
    [{ device_types: 7 }, 400],
    [{ image_url: 'x' }, 400],
  ])('of an emptying of virtual drives may name them: %j is a %d', async (body, status) => {
    await start();
    const { headers, ...request } = withBody('DELETE', body);
    const versioned = { ...headers, 'x-openstack-ironic-api-version': '1.89' };
    const answer = await gateway.fetch('/v1/nodes/node-1/vmedia', {
      ...request,
      headers: versioned,
    });
    expect(answer.status).toBe(status);
  });

  it('of the start of an inspection may repeat the node', async () => {
    await start();
    const body = withBody('POST', { uuid: NODE.uuid });
    expect((await gateway.fetch('/v1/introspection/node-1', body)).status).toBe(202);
  });

  it('of a vendor method may have 64 KiB, and the data of an inspection 4 MiB', async () => {
    await start();
    const status = async (target: string, bytes: number): Promise<number> =>
      (
        await gateway.fetch(target, {
          ...withBody('POST', { data: 'x'.repeat(bytes) }),
        })
      ).status;
    const vendor = '/v1/nodes/node-1/vendor_passthru?method=m';
    expect(await status(vendor, 64 * 1024 - 20)).toBe(202);
    expect(await status(vendor, 64 * 1024)).toBe(413);
    const data = '/v1/introspection/node-1/data/unprocessed';
    expect(await status(data, 4 * 1024 * 1024 - 20)).toBe(202);
    expect(await status(data, 4 * 1024 * 1024)).toBe(413);
  });

  it('of a create request or a patch is bounded by the operator’s setting', async () => {
    await start({ documentBytes: 32 * 1024 });
    const patchOf = (bytes: number) => [{ op: 'add', path: '/extra/a', value: 'x'.repeat(bytes) }];
    const status = async (target: string, body: object): Promise<number> =>
      (await gateway.fetch(target, body)).status;
    const patched = (bytes: number) =>
      status('/v1/nodes/node-1', withBody('PATCH', patchOf(bytes)));
    const created = (bytes: number) =>
      status('/v1/nodes', withBody('POST', { driver: 'x', extra: { a: 'x'.repeat(bytes) } }));
    expect(await patched(32 * 1024 - 50)).toBe(200);
    expect(await patched(32 * 1024)).toBe(413);
    expect(await created(32 * 1024 - 50)).toBe(200);
    expect(await created(32 * 1024)).toBe(413);
  });

  it('of an order to deploy may contain a configuration drive whatever the setting', async () => {
    await start({ documentBytes: 32 * 1024 });
    const order = { target: 'active', configdrive: 'A'.repeat(512 * 1024) };
    const answer = await gateway.fetch('/v1/nodes/node-1/states/provision', withBody('PUT', order));
    expect(answer.status).toBe(202);
  });

  it('of an update name each field once', async () => {
    await start();
    const patch = [
      { op: 'add', path: '/extra/a', value: 1 },
      { op: 'add', path: '/extra/b', value: 1 },
      { op: 'replace', path: '/name', value: 'bond1' },
    ];
    gateway.inventory.answer = tenancyOf(
      { bond0: { ...NODE, node_uuid: NODE.uuid } },
      (_request, response) => {
        json(response, 200, {});
      },
    );
    await gateway.fetch('/v1/portgroups/bond0', withBody('PATCH', patch));
    expect(gateway.pdp.received.map(questionIn)).toMatchObject([
      { action: 'baremetal:portgroup:update', fields: ['/extra', '/name'] },
    ]);
  });
});

describe('microversions', () => {
  it('come before the body and the policy, after the token', async () => {
    await start();
    const init = {
      ...withBody('PUT', 'not even an object'),
      headers: { 'content-type': 'application/json', 'x-openstack-ironic-api-version': '1.11' },
    };
    const response = await gateway.fetch('/v1/nodes/node-1/traits', init);
    expect([response.status, await faultIn(response)]).toEqual([
      405,
      'The method PUT is not allowed for this resource.',
    ]);
    expect(gateway.pdp.received).toHaveLength(0);
    const unknown = await fetch(`${gateway.url}/v1/nodes/node-1/firmware`);
    expect(unknown.status).toBe(401);
  });

  it.each([
    ['/v1/nodes/node-1/firmware', '1.65', 404],
    ['/v1/nodes/node-1/traits', '1.36', 406],
    ['/v1/nodes/node-1/traits', '1.37', 200],
    ['/v1/deploy_templates', '1.54', 404],
    ['/v1/deploy_templates', '1.55', 200],
  ])('%s in %s is a %d', async (path, version, status) => {
    await start();
    const headers = { 'x-openstack-ironic-api-version': version };
    expect((await gateway.fetch(path, { headers })).status).toBe(status);
  });
});

it('a path without version is decided on and forwarded as the one of v1 that it means', async () => {
  await start();
  expect((await fetch(`${gateway.url}/nodes/node-1`)).status).toBe(401);
  expect((await gateway.fetch('/nodes/node-1?fields=uuid')).status).toBe(200);
  expect(gateway.pdp.received.map(questionIn)).toMatchObject([{ action: 'baremetal:node:get' }]);
  const forwarded = gateway.inventory.received.at(-1);
  expect(forwarded?.target).toBe('/v1/nodes/node-1?fields=uuid');
});

describe('a route that is newer than the requested version', () => {
  const inVersion = (version: string, method: string, body: unknown): TestRequest => ({
    ...withBody(method, body),
    headers: { 'content-type': 'application/json', 'x-openstack-ironic-api-version': version },
  });

  it.each([
    ['raid', '1.11', { logical_disks: [DISK] }, 406],
    ['boot_mode', '1.75', { target: 'uefi' }, 404],
    ['secure_boot', '1.75', { target: true }, 404],
  ])('%s refuses a caller without the right first', async (state, version, body, status) => {
    await start();
    const request = inVersion(version, 'PUT', body);
    const path = `/v1/nodes/node-1/states/${state}`;
    expect((await gateway.fetch(path, request)).status).toBe(status);
    expect(gateway.conductor.received).toHaveLength(0);
    gateway.pdp.answer = decideWith(() => ({ ...ALLOW, allow: false }));
    expect((await gateway.fetch(path, request)).status).toBe(403);
  });

  it.each([
    ['1.88', 404],
    ['1.89', 405],
  ])('has no wrong methods: PUT of virtual media in %s is a %d', async (version, status) => {
    await start();
    const request = inVersion(version, 'PUT', {});
    expect((await gateway.fetch('/v1/nodes/node-1/vmedia', request)).status).toBe(status);
  });
});

describe('the deploy ramdisk', () => {
  const onePerNetwork = () =>
    createAgentLimits({
      perSecond: 1,
      failuresPerMinute: 10,
      onLimited: () => undefined,
      now: () => 0,
    });
  const HEARTBEAT = { callback_url: 'https://192.0.2.1:9999', agent_token: 't' };

  it('needs no token, and a sent token is ignored', async () => {
    await start();
    for (const headers of [{}, { 'x-auth-token': 'x.y.z' }]) {
      const response = await fetch(`${gateway.url}/v1/heartbeat/node-1`, {
        ...withBody('POST', HEARTBEAT),
        headers: {
          ...headers,
          'content-type': 'application/json',
          'x-openstack-ironic-api-version': '1.22',
        },
      });
      expect(response.status).toBe(202);
    }
    expect(gateway.pdp.received).toHaveLength(0);
    expect(gateway.inventory.received).toHaveLength(0);
    expect(
      gateway.conductor.received.map((request) => gateway.contextOf('conductor', request)),
    ).toMatchObject(
      Array(2).fill({
        subject: null,
        action: 'baremetal:node:ipa_heartbeat',
        decision_id: null,
        resources: [],
      }),
    );
    expect(gateway.log).toMatchObject([
      { action: 'baremetal:node:ipa_heartbeat', route: '/v1/heartbeat/{ident}' },
      {},
    ]);
  });

  it('is looked up by addresses or a uuid, and by nothing else', async () => {
    await start();
    const status = async (query: string): Promise<number> =>
      (
        await fetch(`${gateway.url}/v1/lookup?${query}`, {
          headers: { 'x-openstack-ironic-api-version': '1.22' },
        })
      ).status;
    expect(await status('addresses=52:54:00:00:00:12&node_uuid=x')).toBe(202);
    expect(await status('owner=p1')).toBe(400);
  });

  it.each([
    [undefined, 202],
    ['1.1', 202],
    ['1.2', 404],
    ['1.65', 404],
  ])('sends its inventory in version %s: %d', async (version, status) => {
    await start();
    const response = await fetch(`${gateway.url}/v1/continue_inspection`, {
      ...withBody('POST', { inventory: {}, agent_token: 't' }),
      headers: {
        'content-type': 'application/json',
        ...(version !== undefined && { 'x-openstack-ironic-api-version': version }),
      },
    });
    expect(response.status).toBe(status);
  });

  it("a 404 is the conductor's own: nothing was decided about a node", async () => {
    await start();
    gateway.conductor.answer = (_request, response): void => {
      json(response, 404, { own: 'message' });
    };
    const response = await gateway.fetch('/v1/heartbeat/node-1', withBody('POST', HEARTBEAT));
    expect([response.status, await response.json()]).toEqual([404, { own: 'message' }]);
  });

  it('is limited by the network that a trusted proxy names, and by no list of its own', async () => {
    await start({ agentLimits: onePerNetwork(), trustedProxies: ['127.0.0.0/8'] });
    const lookup = async (forwarded: string): Promise<number> => {
      const headers = { 'X-Forwarded-For': forwarded };
      return (await gateway.fetch('/v1/lookup?addresses=52:54:00:00:00:12', { headers })).status;
    };
    expect(await lookup('203.0.113.9')).toBe(202);
    expect(await lookup('198.51.100.8')).toBe(202);
    expect(await lookup('192.0.2.1, 203.0.113.8')).toBe(429);
    expect(await lookup('2001:db8::1')).toBe(202);
    expect(await lookup('2001:db8::2')).toBe(429);
    expect(Object.keys(gateway.conductor.received[0]?.headers ?? {})).not.toContain(
      'x-forwarded-for',
    );
  });

  it('has a share of requests by its network, which discovery does not use up', async () => {
    await start({ agentLimits: onePerNetwork() });
    const lookup = async (): Promise<number> =>
      (await gateway.fetch('/v1/lookup?addresses=52:54:00:00:00:12')).status;
    expect((await fetch(`${gateway.url}/v1`)).status).toBe(200);
    expect(await lookup()).toBe(202);
    expect(await lookup()).toBe(429);
    expect((await fetch(`${gateway.url}/v1`)).status).toBe(200);
  });
});

describe('introspection', () => {
  it.each([
    ['GET', '', 'introspection:status'],
    ['GET', '/node-1', 'introspection:status'],
    ['POST', '/node-1?manage_boot=0', 'introspection:start'],
    ['POST', '/node-1/abort', 'introspection:abort'],
    ['GET', '/node-1/data', 'introspection:data'],
    ['POST', '/node-1/data/unprocessed', 'introspection:reapply'],
  ])('%s %s asks for %s, about the caller alone', async (method, path, action) => {
    await start();
    expect((await gateway.fetch(`/v1/introspection${path}`, { method })).status).toBe(202);
    expect(gateway.pdp.received.map(questionIn)).toMatchObject([
      { action, resource: { type: 'none', owner: null, lessee: null } },
    ]);
    expect(gateway.inventory.received).toHaveLength(0);
  });
});
