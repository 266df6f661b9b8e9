import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { availableNode, type FleetNode } from '../support/fleet.js';
import { faultString } from '../support/http-client.js';
import { startKeystone, type TestKeystone } from '../support/keystone.js';
import { startNeutron, type TestNeutron } from '../support/neutron.js';
import { portOn } from '../support/node-parts.js';
import { startTenure, type Tenure } from '../support/tenure.js';

// A real Neutron, and a real Keystone whose tokens both it and Tenure take: a tenant's one token makes a port in Neutron
// and attaches it to a machine.

/** Milliseconds that Tenure gives Neutron. */
const DEADLINE = 4000;
/** Milliseconds within which everything is answered, whatever Neutron does. */
const PATIENCE = 9500;

interface Tenant {
  readonly project: string;
  readonly token: string;
  readonly node: FleetNode;
  readonly network: string;
}

/** Of what has been started, the last first. */
const stops: (() => Promise<void>)[] = [];

let keystone: TestKeystone;
let neutron: TestNeutron;
let tenure: Tenure;
let owner: Tenant;
let thief: Tenant;
let operator: string;

async function made(kind: string, token: string, fields: object): Promise<string> {
  const call = { token, method: 'POST', path: `/${kind}s`, body: { [kind]: fields } };
  const answer = (await neutron.call(call)) as Readonly<Record<string, { readonly id: string }>>;
  return String(answer[kind]?.id);
}
const portOf = ({ token, network }: Tenant): Promise<string> =>
  made('port', token, { network_id: network });

async function tenant(name: string): Promise<Tenant> {
  const project = await keystone.project(name);
  const token = await keystone.login(
    await keystone.user(`${name}s`, { project: { id: project } }, 'member'),
  );
  const node = availableNode(`node-of-${name}`, { owner: project });
  await tenure.importDocument({ nodes: [node], ports: [portOn(node), portOn(node)] });
  return { project, token, node, network: await made('network', token, { name }) };
}

/** Status and fault of a request about the VIFs of a node, or its body. */
async function ask(
  token: string,
  method: string,
  { uuid }: FleetNode,
  { id, path = '' }: { readonly id?: string; readonly path?: string } = {},
): Promise<readonly unknown[]> {
  const response = await fetch(`${tenure.url}/v1/nodes/${uuid}/vifs${path}`, {
    method,
    headers: {
      'X-Auth-Token': token,
      'X-OpenStack-Ironic-API-Version': 'latest',
      'Content-Type': 'application/json',
    },
    signal: AbortSignal.timeout(PATIENCE),
    ...(id !== undefined && { body: JSON.stringify({ id }) }),
  });
  const text = await response.text();
  const body: unknown = response.ok && text !== '' ? JSON.parse(text) : faultString(text);
  return [response.status, body];
}
const attach = (token: string, node: FleetNode, id: string): Promise<readonly unknown[]> =>
  ask(token, 'POST', node, { id });
const detach = (token: string, node: FleetNode, id: string): Promise<readonly unknown[]> =>
  ask(token, 'DELETE', node, { path: `/${id}` });
const attachedTo = (node: FleetNode): Promise<readonly unknown[]> => ask(operator, 'GET', node);

const DONE = [204, null];
const UNKNOWN = [503, 'The network service is temporarily unavailable.'];
const unusable = (id: string, { uuid }: FleetNode): readonly unknown[] => [
  400,
  `VIF ${id} cannot be attached to node ${uuid}.`,
];

beforeAll(async () => {
  keystone = await startKeystone('fernet');
  stops.unshift(() => keystone.stop());
  neutron = await startNeutron(keystone);
  stops.unshift(() => neutron.stop());
  // Tenure's user has the role `service` and no other.
  tenure = await startTenure('neutron', {
    ...keystone.settings,
    NEUTRON_URL: neutron.url,
    OPENSTACK_DEADLINE_MS: String(DEADLINE),
  });
  stops.unshift(() => tenure.stop());
  owner = await tenant('owner');
  thief = await tenant('thief');
  operator = await keystone.login(
    await keystone.user('operator', { system: { all: true } }, 'admin'),
  );
}, 240_000);
afterAll(async () => {
  for (const stop of stops) await stop();
});

describe('a port of Neutron', () => {
  it('is attached by the project that it belongs to, in either spelling, and detached', async () => {
    const port = await portOf(owner);
    for (const spelling of [port, port.toUpperCase()]) {
      expect(await attach(owner.token, owner.node, spelling)).toEqual(DONE);
      expect(await attachedTo(owner.node)).toEqual([200, { vifs: [{ id: port }] }]);
      expect(await detach(owner.token, owner.node, spelling)).toEqual(DONE);
    }
    expect(await attachedTo(owner.node)).toEqual([200, { vifs: [] }]);
  });

  it('of another project is refused as one that is not there, though nothing uses it', async () => {
    const [port, missing] = [await portOf(owner), randomUUID()];
    for (const id of [port, missing])
      expect(await attach(thief.token, thief.node, id)).toEqual(unusable(id, thief.node));
    expect(await attach(thief.token, thief.node, port.toUpperCase())).toEqual(
      unusable(port, thief.node),
    );
    expect(await attachedTo(thief.node)).toEqual([200, { vifs: [] }]);
    expect(await attach(owner.token, owner.node, port)).toEqual(DONE);
    expect(await detach(owner.token, owner.node, port)).toEqual(DONE);
  });

  it('is refused once Neutron has deleted it', async () => {
    const port = await portOf(owner);
    await neutron.call({ token: owner.token, method: 'DELETE', path: `/ports/${port}` });
    expect(await attach(owner.token, owner.node, port)).toEqual(unusable(port, owner.node));
  });

  it('in another project’s network belongs to the project that it was made for', async () => {
    const admin = await keystone.login(
      await keystone.user('maker', { project: { id: keystone.serviceProject } }, 'admin'),
    );
    const port = await made('port', admin, {
      network_id: thief.network,
      project_id: owner.project,
    });
    expect(await attach(thief.token, thief.node, port)).toEqual(unusable(port, thief.node));
    expect(await attach(owner.token, owner.node, port)).toEqual(DONE);
    expect(await detach(owner.token, owner.node, port)).toEqual(DONE);
  });

  it('is attached by the operator whosever it is, if it is there', async () => {
    const [port, missing] = [await portOf(owner), randomUUID()];
    expect(await attach(operator, thief.node, missing)).toEqual(unusable(missing, thief.node));
    expect(await attach(operator, thief.node, port)).toEqual(DONE);
    expect(await detach(operator, thief.node, port)).toEqual(DONE);
  });

  it('is no network, and no other resource of Neutron', async () => {
    expect(await attach(owner.token, owner.node, owner.network)).toEqual(
      unusable(owner.network, owner.node),
    );
    expect(await attach(owner.token, owner.node, 'port-of-mine')).toEqual(
      unusable('port-of-mine', owner.node),
    );
  });
});

describe('while Neutron does not say whose a port is', () => {
  it('nothing is attached when it is slow: a 503 within the deadline', async () => {
    const port = await portOf(owner);
    neutron.freeze();
    try {
      expect(await attach(owner.token, owner.node, port)).toEqual(UNKNOWN);
    } finally {
      neutron.thaw();
    }
    expect(await attachedTo(owner.node)).toEqual([200, { vifs: [] }]);
    expect(await attach(owner.token, owner.node, port)).toEqual(DONE);
    expect(await detach(owner.token, owner.node, port)).toEqual(DONE);
  });

  it('nothing is attached when it is down, what is attached can be detached, and its return is noticed', async () => {
    const [attached, other] = [await portOf(owner), await portOf(owner)];
    expect(await attach(owner.token, owner.node, attached)).toEqual(DONE);
    await neutron.stop();
    for (const { token, node } of [owner, thief])
      expect(await attach(token, node, other)).toEqual(UNKNOWN);
    expect(await attach(operator, thief.node, other)).toEqual(UNKNOWN);
    expect(await detach(owner.token, owner.node, attached)).toEqual(DONE);
    expect([await attachedTo(owner.node), await attachedTo(thief.node)]).toEqual([
      [200, { vifs: [] }],
      [200, { vifs: [] }],
    ]);
    await neutron.restart();
    expect(await attach(thief.token, thief.node, other)).toEqual(unusable(other, thief.node));
    expect(await attach(owner.token, owner.node, other)).toEqual(DONE);
  });
});
