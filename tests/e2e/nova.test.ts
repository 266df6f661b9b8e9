import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Clients, startClients } from '../support/clients.js';
import { availableNode, type FleetNode } from '../support/fleet.js';
import { type TokenProvider } from '../support/keystone-process.js';
import { type KeystoneUser, startKeystone, type TestKeystone } from '../support/keystone.js';
import { keystoneLogin, type Login } from '../support/logins.js';
import { newMac } from '../support/node-parts.js';
import { root } from '../support/paths.js';
import { newProject } from '../support/personas.js';
import { startTenure, type Tenure } from '../support/tenure.js';
import { eventually } from '../support/wait.js';
import { issueTokens } from './keystone/cast.js';

// nova-compute's Ironic driver, call by call and in its order, by openstacksdk as the account of the service, which logs
// in at a real Keystone and finds the gateway in its catalog.

const run = promisify(execFile);

const OWNER = newProject('owner');
const LESSEE = newProject('lessee');
const FLEET = 10_000;
const FLEET_SHARD = 'fleet';

const FIELDS = [
  'uuid',
  'power_state',
  'target_power_state',
  'provision_state',
  'target_provision_state',
  'last_error',
  'maintenance',
  'properties',
  'instance_uuid',
  'traits',
  'resource_class',
];

type Scope = 'on the system' | 'in the service project, elevated';

let keystone: TestKeystone;
let tenure: Tenure;
let clients: Clients;
let users: Readonly<Record<Scope, KeystoneUser>>;
let accounts: Readonly<Record<Scope, Login>>;

beforeAll(async () => {
  keystone = await startKeystone('jws');
  tenure = await startTenure('nova', {
    ...keystone.settings,
    TENURE_RBAC_SERVICE_ROLE_ELEVATED_ACCESS: 'true',
  });
  await keystone.register(tenure.url);
  const onSystem = await keystone.user('nova-on-system', { system: { all: true } }, 'service');
  const service = { project: { id: keystone.serviceProject } };
  const inProject = await keystone.user('nova-in-project', service, 'service');
  users = { 'on the system': onSystem, 'in the service project, elevated': inProject };
  accounts = {
    'on the system': keystoneLogin(keystone.url, onSystem),
    'in the service project, elevated': keystoneLogin(keystone.url, inProject),
  };
  clients = startClients(tenure);
}, 240_000);

afterAll(async () => {
  clients.stop();
  await tenure.stop();
  await keystone.stop();
});

const tenancies: readonly (readonly [string, object])[] = [
  ['an unowned node', { owner: null, lessee: null }],
  ['an owned node', { owner: OWNER, lessee: null }],
  ['a leased node', { owner: OWNER, lessee: LESSEE }],
];

const cases = (
  scope: Scope,
  provider: TokenProvider,
): readonly (readonly [Scope, TokenProvider, string, object])[] =>
  tenancies.map(([what, tenancy]) => [scope, provider, what, tenancy]);

describe.each([
  ...cases('on the system', 'jws'),
  ...cases('in the service project, elevated', 'fernet'),
])('the account %s, by %s tokens, with %s', (scope, provider, _what, tenancy) => {
  const instance = randomUUID();
  const vif = randomUUID();
  const shard = newProject('shard');
  const mac = newMac();
  let node: FleetNode;

  beforeAll(async () => {
    await issueTokens(provider, { keystone, url: tenure.url, user: users[scope] });
    node = availableNode(newProject('nova'), {
      ...tenancy,
      shard,
      conductor_group: '',
      last_error: 'what went wrong last',
    });
    await tenure.importDocument({
      nodes: [node],
      ports: [{ uuid: randomUUID(), node_uuid: node.uuid, address: mac }],
    });
  });

  const python = async (code: string): Promise<unknown> => {
    const names = `b, N, I, V, S, M = conn.baremetal, '${node.uuid}', '${instance}', '${vif}', '${shard}', '${mac}'`;
    const { result, error } = await clients.sdk(
      accounts[scope],
      `${names}\nF = ${JSON.stringify(FIELDS)}\n${code}`,
    );
    return error === null ? result : `${String(error.status)} ${error.message}`;
  };
  const statusOf = async (code: string): Promise<number> =>
    Number(String(await python(code)).slice(0, 3));

  const provisioned = (state: string): Promise<unknown> =>
    eventually(
      () => python('result = [n.provision_state for n in b.nodes(instance_id=I, fields=F)]'),
      (states) => JSON.stringify(states) === JSON.stringify([state]),
      { within: 30_000, what: `state ${state}` },
    );
  const powered = (state: string): Promise<unknown> =>
    eventually(
      () => python('n = b.get_node(N, fields=F); result = [n.power_state, n.target_power_state]'),
      (seen) => JSON.stringify(seen) === JSON.stringify([state, null]),
      { within: 20_000, what: `power state ${state}` },
    );

  it('discovers the versions without a token (1)', async () => {
    for (const path of ['/', '/v1']) {
      const answer = await fetch(`${tenure.url}${path}`);
      expect([answer.status, answer.headers.get('x-openstack-ironic-api-maximum-version')]).toEqual(
        [200, '1.91'],
      );
    }
  });

  it('reads the node with its last error, and finds none for the instance (2, 3)', async () => {
    expect(await python('n = b.get_node(N, fields=F); result = [n.id, n.last_error]')).toEqual([
      node.uuid,
      'what went wrong last',
    ]);
    expect(await python('result = [n.id for n in b.nodes(instance_id=I, fields=F)]')).toEqual([]);
  });

  it('finds the node in its shard and conductor group (4)', async () => {
    const listed = 'result = [n.id for n in b.nodes(fields=F, shard=S)]';
    expect(await python(listed)).toEqual([node.uuid]);
    expect(
      await python("result = N in [n.id for n in b.nodes(fields=F, conductor_group='')]"),
    ).toBe(true);
  });

  it('claims the node, and no other instance then can (5)', async () => {
    const claim = (id: string): string =>
      `result = b.patch_node(N, [{'op': 'add', 'path': '/instance_uuid', 'value': ${id}}], retry_on_conflict=False).instance_id`;
    expect(await python(claim('I'))).toBe(instance);
    expect(await statusOf(claim(`'${randomUUID()}'`))).toBe(409);
    expect(await python(claim('I'))).toBe(instance);
  });

  it('writes the deploy parameters, and they validate (6, 8)', async () => {
    expect(
      await python(`values = {
    'image_source': 'http://images.example/image', 'root_gb': '10', 'swap_mb': '0', 'display_name': 'server',
    'vcpus': '4', 'nova_host_id': 'compute-1', 'memory_mb': '8192', 'local_gb': '100', 'project_id': '${LESSEE}',
    'project_name': 'tenant', 'user_id': 'u', 'user_name': 'user', 'flavor_name': 'baremetal',
    'fixed_ips': '[]', 'floating_ips': '[]', 'capabilities': {}, 'traits': [],
}
patch = [{'op': 'add', 'path': '/instance_info/' + k, 'value': v} for k, v in values.items()]
result = b.patch_node(N, patch).instance_info['display_name']`),
    ).toBe('server');
    expect(await python("result = b.validate_node(N, required=('power',))['power'].result")).toBe(
      true,
    );
  });

  it('keeps volume targets (7, 20)', async () => {
    const made =
      "b.create_volume_target(node_id=N, volume_type='iscsi', boot_index=0, volume_id=V, properties={'target_iqn': 'iqn'})";
    expect(await python(`result = ${made}.properties`)).toEqual({ target_iqn: 'iqn' });
    const list = 'list(b.volume_targets(details=True, node=N))';
    expect(await python(`result = [t.volume_id for t in ${list}]`)).toEqual([vif]);
    expect(
      await python(
        `[b.delete_volume_target(t, ignore_missing=False) for t in ${list}]\nresult = ${list}`,
      ),
    ).toEqual([]);
    expect(await python('result = list(b.volume_connectors(details=True, node=N))')).toEqual([]);
  });

  it('reads ports and port groups, by address too (9, 21)', async () => {
    expect(await python('result = [p.address for p in b.ports(details=True, node=N)]')).toEqual([
      mac,
    ]);
    expect(
      await python('result = [p.address for p in b.ports(details=True, node=N, address=M)]'),
    ).toEqual([mac]);
    expect(await python('result = list(b.port_groups(details=True, node=N))')).toEqual([]);
    expect(await python('result = list(b.port_groups(details=True, node=N, address=M))')).toEqual(
      [],
    );
  });

  it('attaches the interface once (16)', async () => {
    const attach = 'result = b.attach_vif_to_node(N, V, retry_on_conflict=False)';
    expect(await python(attach)).toBeNull();
    expect(await statusOf(attach)).toBe(409);
  });

  it('deploys with a config drive, and polls by the instance (10, 3)', async () => {
    expect(
      await python(
        "result = b.set_node_provision_state(N, 'active', config_drive={'meta_data': {'uuid': I}}).id",
      ),
    ).toBe(node.uuid);
    await provisioned('active');
  });

  it('switches the power in every way (15)', async () => {
    for (const [target, state] of [
      ['power off', 'power off'],
      ['power on', 'power on'],
      ['rebooting', 'power on'],
      ['soft rebooting', 'power on'],
      ['soft power off', 'power off'],
    ] as const) {
      expect(await python(`result = b.set_node_power_state(N, '${target}')`)).toBeNull();
      await powered(state);
    }
  });

  it('injects an NMI and uses the console (19, 18)', async () => {
    expect(await python('result = b.inject_nmi_to_node(N)')).toBeNull();
    expect(await python('result = b.enable_node_console(N)')).toBeNull();
    expect(await python('result = b.get_node_console(N)["console_enabled"]')).toBe(true);
    const info =
      "n = b.get_node(N, fields=['uuid', 'driver_internal_info']); result = n.driver_internal_info";
    expect(await python(info)).not.toEqual({});
    expect(await python('result = b.disable_node_console(N)')).toBeNull();
  });

  it('rescues and unrescues, and rebuilds (13, 12)', async () => {
    const order = (...args: readonly string[]): Promise<unknown> =>
      python(`result = b.set_node_provision_state(N, ${args.join(', ')}).id`);
    expect(await order("'rescue'", "rescue_password='secret-word'")).toBe(node.uuid);
    await provisioned('rescue');
    expect(await order("'unrescue'")).toBe(node.uuid);
    await provisioned('active');
    await python(
      "b.patch_node(N, [{'op': 'add', 'path': '/instance_info/root_gb', 'value': '20'}])",
    );
    expect(await order("'rebuild'")).toBe(node.uuid);
    await provisioned('active');
  });

  it('detaches the interface, undeploys and cleans up (17, 11, 14)', async () => {
    expect(await python('result = b.detach_vif_from_node(N, V)')).toBe(true);
    expect(await python("result = b.set_node_provision_state(N, 'deleted').id")).toBe(node.uuid);
    await eventually(
      () => python('result = b.get_node(N, fields=F).provision_state'),
      (state) => state === 'available',
      { within: 30_000, what: 'an available node' },
    );
    expect(
      await python(
        "result = b.patch_node(N, [{'op': 'add', 'path': '/instance_uuid', 'value': I}, {'op': 'add', 'path': '/instance_info/image_source', 'value': 'i'}]).instance_id",
      ),
    ).toBe(instance);
    expect(
      await python(
        "n = b.patch_node(N, [{'op': 'remove', 'path': '/instance_uuid'}, {'op': 'replace', 'path': '/instance_info', 'value': {}}]); result = [n.instance_id, n.instance_info]",
      ),
    ).toEqual([null, {}]);
  });

  // The client would try a 409 or a 503 again, and Nova would drop a node that answers 404.
  it.each([
    ['create a node', "b.create_node(driver='fake-hardware')"],
    ['delete the node', 'b.delete_node(N, ignore_missing=False)'],
    ['create a port', "b.create_port(node_id=N, address='52:54:00:00:00:01')"],
    ['delete a port', 'b.delete_port(next(b.ports(node=N)), ignore_missing=False)'],
    ['set traits', "b.set_node_traits(N, ['CUSTOM_A'])"],
    ['create a chassis', "b.create_chassis(description='new')"],
    ['call vendor passthru', "b.call_node_vendor_passthru(N, 'POST', 'first_method', {})"],
    ['give the node away', "b.update_node(N, owner='somebody')"],
    ['change its shard', "b.update_node(N, shard='another')"],
    ['change its chassis', `b.update_node(N, chassis_id='${randomUUID()}')`],
  ])('is refused with 403 when it tries to %s', async (_attempt, code) => {
    expect(await statusOf(`result = ${code}`)).toBe(403);
  });
});

describe('tenure policy selftest --as nova --login', () => {
  const selftest = async (env: Readonly<Record<string, string>>): Promise<string> => {
    const commandLine = 'policy selftest --as nova --login'.split(' ');
    const options = { cwd: root, env: { ...tenure.env, ...env } };
    try {
      const script = path.join(root, 'cli/bin/tenure.js');
      return (await run(process.execPath, [script, ...commandLine], options)).stdout;
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string }; // of a command that failed
      return `failed: ${stdout}${stderr}`;
    }
  };
  const good = (account: string): string =>
    `ok     ${account}: 21 of 21 calls work, 9 of 9 calls that Nova never makes are refused\n`;

  it('logs in as the account, and finds that it has what it needs and no more', async () => {
    const printed = Object.values(accounts).map(({ environment }) => selftest(environment));
    expect(await Promise.all(printed)).toEqual([
      good('service on the system'),
      good('service in project service'),
    ]);
  });

  it('fails where the switches of the services do not make it enough, and for a wrong password', async () => {
    const { environment } = accounts['in the service project, elevated'];
    const off = { ...environment, TENURE_RBAC_SERVICE_ROLE_ELEVATED_ACCESS: 'false' };
    expect(await selftest(off)).toMatch(/^failed: FAILED service in project service: 1 of 21/u);
    expect(await selftest({ ...environment, OS_PASSWORD: 'wrong-password' })).toBe(
      'failed: tenure: Keystone refused the login (401)\n',
    );
  });
});

describe('the whole fleet', () => {
  beforeAll(async () => {
    const nodes = Array.from({ length: FLEET }, (_, at) =>
      availableNode(`fleet-${String(at)}`, { owner: OWNER, shard: FLEET_SHARD }),
    );
    await tenure.importDocument({ nodes });
  });

  // The one still has a token of the kind that Keystone no longer takes, and must not notice. The other reads the pages
  // as they come: most of the time that this takes the SDK spends on making objects of the rows.
  it('is listed page by page by both accounts', async () => {
    const query = `fields=${FIELDS.join(',')}&shard=${FLEET_SHARD}`;
    const whole = { result: [FLEET, FLEET], error: null };
    const listed = await Promise.all([
      clients.sdk(
        accounts['on the system'],
        `ids = [n.id for n in conn.baremetal.nodes(fields=${JSON.stringify(FIELDS)}, shard='${FLEET_SHARD}')]
result = [len(ids), len(set(ids))]`,
      ),
      clients.sdk(
        accounts['in the service project, elevated'],
        `ids, url = [], '/nodes?${query}'
while url:
    page = conn.baremetal.get(url, microversion='1.91').json()
    ids += [n['uuid'] for n in page['nodes']]
    url = page.get('next')
result = [len(ids), len(set(ids))]`,
      ),
    ]);
    expect(listed).toEqual([whole, whole]);
  });
});
