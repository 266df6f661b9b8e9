import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Clients, startClients } from '../support/clients.js';
import { availableNode, type FleetNode, nodeOf } from '../support/fleet.js';
import { type Answer, ask, askLatest, faultString } from '../support/http-client.js';
import { portOn } from '../support/node-parts.js';
import { replaces } from '../support/patch.js';
import {
  inProject,
  newProject,
  type Persona,
  systemAdmin,
  systemReader,
} from '../support/personas.js';
import { sharedTenure, type Tenure } from '../support/tenure.js';
import { eventually } from '../support/wait.js';

const ownerProject = newProject('lease-owner');
const lesseeProject = newProject('lease-lessee');
const owner = inProject(ownerProject, 'member');
const ownerReader = inProject(ownerProject, 'reader');
const ownerService = inProject(ownerProject, 'service');
const lessee = inProject(lesseeProject, 'manager');
const lesseeAdmin = inProject(lesseeProject, 'admin');
const stranger = inProject(newProject('lease-stranger'), 'admin');

type Fields = Readonly<Record<string, unknown>>;

let tenure: Tenure;
let clients: Clients;

beforeAll(async () => {
  tenure = await sharedTenure();
  clients = startClients(tenure);
  // Made now: the leases below are short.
  for (const who of [owner, ownerReader, lessee, lesseeAdmin, systemAdmin, systemReader, stranger])
    await tenure.token(who);
});

afterAll(() => {
  clients.stop();
});

const inSeconds = (seconds: number): string =>
  new Date(Math.floor(Date.now() / 1000) * 1000 + seconds * 1000).toISOString();

async function machine(fields: Fields = {}): Promise<FleetNode> {
  const node = availableNode(newProject('leased'), { owner: ownerProject, ...fields });
  await tenure.importDocument({ nodes: [node], ports: [portOn(node)] });
  return node;
}

const lend = (
  node: FleetNode,
  { who = owner, ...fields }: { readonly who?: Persona } & Fields = {},
): Promise<Answer> =>
  ask(tenure, who, 'POST /v1/leases', {
    body: { node_uuid: node.uuid, lessee: lesseeProject, end_time: inSeconds(3600), ...fields },
  });

const uuidIn = ({ json }: Answer): string => (json as { readonly uuid: string }).uuid;

interface Lent {
  readonly node: FleetNode;
  readonly lease: string;
  /** When it ends. */
  readonly end: string;
}

/** A node that is lent for so many seconds, or from some seconds on. */
async function lent(
  seconds = 3600,
  {
    startsIn,
    machine: machineFields,
    ...fields
  }: { readonly startsIn?: number; readonly machine?: Fields } & Fields = {},
): Promise<Lent> {
  const node = await machine(machineFields);
  const end = inSeconds(seconds);
  const start = startsIn === undefined ? {} : { start_time: inSeconds(startsIn) };
  const answer = await lend(node, { end_time: end, ...start, ...fields });
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return { node, lease: uuidIn(answer), end };
}

const leaseOf = async (uuid: string, who: Persona = systemReader): Promise<Fields> =>
  (await askLatest(tenure, who, `GET /v1/leases/${uuid}`)).json as Fields;

const statusFor = async (who: Persona, line: string, body?: unknown): Promise<number> =>
  (await askLatest(tenure, who, line, body)).status;

async function namesSeenBy(who: Persona): Promise<readonly string[]> {
  const { json } = await askLatest(tenure, who, 'GET /v1/nodes');
  return (json as { nodes: readonly { name: string }[] }).nodes.map(({ name }) => name);
}

const isEnded = (lease: string): Promise<Fields> =>
  eventually(
    () => leaseOf(lease),
    ({ status }) => status === 'ended',
    { within: 30_000, what: `end of lease ${lease}` },
  );

describe('a lease of a few seconds', () => {
  it('gives the node to a project, and takes it, torn down and cleaned, back on time', async () => {
    const { node, lease, end } = await lent(20, { purpose: 'a test' });
    expect(await leaseOf(lease, lessee)).toMatchObject({
      status: 'active',
      owner: ownerProject,
      lessee: lesseeProject,
      node_uuid: node.uuid,
      on_end: { undeploy: true, clean: true },
      purpose: 'a test',
    });
    const below = `/v1/nodes/${node.uuid}`;
    expect(await statusFor(lessee, `GET ${below}`)).toBe(200);
    expect(await namesSeenBy(lessee)).toEqual([node.name]);
    const vif = randomUUID();
    expect(await statusFor(lessee, `POST ${below}/vifs`, { id: vif })).toBe(204);
    expect(await statusFor(lessee, `PUT ${below}/states/provision`, { target: 'active' })).toBe(
      202,
    );
    await eventually(
      () => nodeOf(tenure, node.uuid),
      (one) => one['provision_state'] === 'active',
      { what: 'deployed node' },
    );
    // Up to the very end the answer is 200 or, from then on, 404 for good: there is nothing in between.
    const seen: string[] = [];
    await eventually(
      async () => {
        const before = Date.now();
        const status = await statusFor(lessee, `GET ${below}`);
        if (Date.now() < Date.parse(end)) seen.push(`before ${String(status)}`);
        else if (before >= Date.parse(end)) seen.push(`after ${String(status)}`);
        return before;
      },
      (before) => before > Date.parse(end) + 1500,
      { within: 40_000, every: 10, what: 'time after the end' },
    );
    expect(new Set(seen)).toEqual(new Set(['before 200', 'after 404']));
    expect(await namesSeenBy(lessee)).toEqual([]);
    expect(await statusFor(lessee, `PUT ${below}/states/power`, { target: 'power on' })).toBe(404);
    expect(await statusFor(lessee, `GET ${below}/lease`)).toBe(404);
    expect(await isEnded(lease)).toMatchObject({ reason: null, lessee: lesseeProject });
    expect(await askLatest(tenure, systemAdmin, `GET ${below}`)).toMatchObject({
      json: { provision_state: 'available', lessee: null, instance_uuid: null, reservation: null },
    });
    expect(await askLatest(tenure, systemAdmin, `GET ${below}/vifs`)).toMatchObject({
      json: { vifs: [] },
    });
    // Both may look back at it.
    expect(await leaseOf(lease, lessee)).toMatchObject({ status: 'ended' });
    expect(await leaseOf(lease, ownerReader)).toMatchObject({ status: 'ended' });
    const { json } = await askLatest(tenure, owner, `GET ${below}/history?detail=true`);
    const events = (json as { history: readonly { event: string }[] }).history.map(
      ({ event }) => event,
    );
    expect(events.filter((event) => event.startsWith('Lease'))).toEqual([
      expect.stringContaining(`Lease ${lease} of project ${lesseeProject} began`),
      expect.stringContaining(`Lease ${lease} of project ${lesseeProject} ended`),
    ]);
  });

  it('takes what the lessee had allocated, and leaves a machine up that is not to be torn down', async () => {
    const { node, lease } = await lent(15, { on_end: { undeploy: false } });
    const made = await askLatest(tenure, lessee, 'POST /v1/allocations', {
      resource_class: 'baremetal',
      candidate_nodes: [node.uuid],
    });
    expect(made.status).toBe(201);
    await eventually(
      () => nodeOf(tenure, node.uuid),
      (one) => one['instance_uuid'] === uuidIn(made),
      { what: 'allocated node', within: 12_000 },
    );
    await isEnded(lease);
    expect(await nodeOf(tenure, node.uuid)).toMatchObject({
      instance_uuid: null,
      allocation_uuid: null,
      lessee: null,
    });
    expect(await statusFor(lessee, `GET /v1/allocations/${uuidIn(made)}`)).toBe(404);
  });

  it.each<readonly [when: string, term: Fields, takers: readonly Persona[]]>([
    ['lasts', {}, [lessee]],
    ['is to come', { startsIn: 3600 }, []],
  ])(
    'keeps the machine from allocations and servers of its owner while it %s',
    async (_when, term, takers) => {
      const resource_class = newProject('class');
      const { node } = await lent(7200, { ...term, machine: { resource_class } });
      const takes = async (who: Persona): Promise<unknown> => {
        const made = await askLatest(tenure, who, 'POST /v1/allocations', { resource_class });
        expect(made.status).toBe(201);
        const final = await eventually(
          async () =>
            (await askLatest(tenure, who, `GET /v1/allocations/${uuidIn(made)}`)).json as Fields,
          ({ state }) => state !== 'allocating',
          { what: 'allocation', within: 20_000 },
        );
        await askLatest(tenure, who, `DELETE /v1/allocations/${uuidIn(made)}`);
        return final['state'];
      };
      const flavors = async (who: Persona): Promise<string> =>
        (await ask(tenure, who, 'GET /v2.1/flavors')).text;
      const all = [owner, lessee];
      for (const who of all) {
        const isTaker = takers.includes(who);
        expect(await takes(who)).toBe(isTaker ? 'active' : 'error');
        expect((await flavors(who)).includes(resource_class)).toBe(isTaker);
      }
      expect(await nodeOf(tenure, node.uuid)).toMatchObject({ allocation_uuid: null });
    },
  );

  it('starts when its time has come', async () => {
    const { node, lease } = await lent(120, { startsIn: 6 });
    expect(await leaseOf(lease, lessee)).toMatchObject({ status: 'pending' });
    expect(await statusFor(lessee, `GET /v1/nodes/${node.uuid}`)).toBe(404);
    await eventually(
      () => statusFor(lessee, `GET /v1/nodes/${node.uuid}`),
      (status) => status === 200,
      { within: 20_000, what: 'node of a lease that has begun' },
    );
    expect(await leaseOf(lease, lessee)).toMatchObject({ status: 'active' });
  });
});

describe('the owner', () => {
  it('extends a lease, which then lasts beyond its first end', async () => {
    const { node, lease, end: first } = await lent(10);
    const longer = await askLatest(
      tenure,
      owner,
      `PATCH /v1/leases/${lease}`,
      replaces('end_time', inSeconds(3600)),
    );
    expect(longer.status).toBe(200);
    await eventually(
      () => Date.now(),
      (now) => now > Date.parse(first) + 1500,
    );
    expect(await statusFor(lessee, `GET /v1/nodes/${node.uuid}`)).toBe(200);
    expect(await leaseOf(lease)).toMatchObject({ status: 'active' });
  });

  it('ends a lease at once, and cancels one that has not begun', async () => {
    const { node, lease } = await lent();
    expect(await statusFor(lessee, `GET /v1/nodes/${node.uuid}`)).toBe(200);
    expect(await statusFor(owner, `DELETE /v1/leases/${lease}`)).toBe(202);
    expect(await statusFor(lessee, `GET /v1/nodes/${node.uuid}`)).toBe(404);
    await isEnded(lease);
    expect(await statusFor(owner, `DELETE /v1/leases/${lease}`)).toBe(409);
    const later = await lend(node, { start_time: inSeconds(600) });
    expect(later.status).toBe(201);
    expect(await statusFor(owner, `DELETE /v1/leases/${uuidIn(later)}`)).toBe(204);
    expect(await leaseOf(uuidIn(later))).toMatchObject({ status: 'cancelled' });
    expect((await lend(node)).status).toBe(201);
  });

  it('does it with openstacksdk, too', async () => {
    const node = await machine();
    const { result } = await clients.sdk(
      owner,
      [
        `made = conn.baremetal.post('/leases', json={'node_uuid': '${node.uuid}', 'lessee': '${lesseeProject}', 'end_time': '${inSeconds(900)}'}).json()`,
        "listed = conn.baremetal.get('/leases', params={'node': made['node_uuid']}).json()['leases']",
        "lease = conn.baremetal.get('/nodes/' + made['node_uuid'] + '/lease').json()",
        "ended = conn.baremetal.delete('/leases/' + made['uuid']).status_code",
        "result = [made['status'], [one['uuid'] == made['uuid'] for one in listed], lease['uuid'] == made['uuid'], ended]",
      ].join('\n'),
    );
    expect(result).toEqual(['active', [true], true, 202]);
  });
});

describe('others', () => {
  it.each([
    ['the lessee', () => lesseeAdmin, [403, 200, 403, 403]],
    ['a reader of the owner', () => ownerReader, [403, 200, 403, 403]],
    ['a service of the owner', () => ownerService, [403, 404, 404, 404]],
    ['a stranger', () => stranger, [403, 404, 404, 404]],
    ['a reader of the system', () => systemReader, [403, 200, 403, 403]],
  ])('%s may create, see, change and end a lease as far as this', async (_, who, expected) => {
    const { node, lease } = await lent();
    const free = await machine();
    expect([
      (await lend(free, { who: who() })).status,
      await statusFor(who(), `GET /v1/leases/${lease}`),
      await statusFor(who(), `PATCH /v1/leases/${lease}`, replaces('purpose', 'mine')),
      await statusFor(who(), `DELETE /v1/leases/${lease}`),
    ]).toEqual(expected);
    expect(await leaseOf(lease)).toMatchObject({ status: 'active', node_uuid: node.uuid });
  });

  it('see their own leases in lists only', async () => {
    const { lease } = await lent();
    const uuids = async (who: Persona, query = ''): Promise<readonly string[]> => {
      const answer = await askLatest(tenure, who, `GET /v1/leases${query}`);
      return (answer.json as { leases: readonly { uuid: string }[] }).leases.map(
        ({ uuid }) => uuid,
      );
    };
    expect(await uuids(owner)).toContain(lease);
    expect(await uuids(lesseeAdmin, '?status=active')).toContain(lease);
    expect(await uuids(stranger)).toEqual([]);
    expect(await uuids(systemReader, `?lessee=${lesseeProject}`)).toContain(lease);
    const { headers } = await askLatest(tenure, lessee, 'GET /v1/leases?limit=1');
    expect(headers['x-tenure-policy-filter']).toBe('owner,lessee');
    expect(await statusFor(stranger, `GET /v1/leases?marker=${lease}`)).toBe(404);
    expect(await statusFor(stranger, `GET /v1/leases?marker=${randomUUID()}`)).toBe(404);
  });
});

describe('a lease that cannot be', () => {
  it.each([
    ['that ends before now', { end_time: inSeconds(-5) }, 400, 'must be in the future'],
    [
      'that ends before it starts',
      { start_time: inSeconds(600), end_time: inSeconds(300) },
      400,
      'must end after it starts',
    ],
    ['without a zone', { end_time: '2030-01-01T00:00:00' }, 400, 'end_time'],
    ['for ever', { end_time: '2999-01-01T00:00:00Z' }, 400, 'within 5 years'],
    ['without an end', { end_time: null }, 400, "'end_time' is a required property"],
    ['with a status of its own', { status: 'active' }, 400, "('status' was unexpected)"],
    [
      'that cleans what it leaves up',
      { on_end: { undeploy: false, clean: true } },
      400,
      'can not be cleaned without being undeployed',
    ],
  ])('%s is refused', async (_, fields, status, sentence) => {
    const answer = await lend(await machine(), fields);
    expect([answer.status, faultString(answer.text)]).toEqual([
      status,
      expect.stringContaining(sentence),
    ]);
  });

  it('is refused beside another one, a lessee set by hand, and an allocation of another project', async () => {
    const { node } = await lent();
    expect((await lend(node)).status).toBe(409);
    expect(
      (await lend(node, { start_time: inSeconds(7200), end_time: inSeconds(7300) })).status,
    ).toBe(409);
    expect((await lend(await machine({ lessee: newProject('by-hand') }))).status).toBe(409);
    const allocated = await machine();
    await tenure.importDocument({
      allocations: [
        { uuid: randomUUID(), owner: ownerProject, node_uuid: allocated.uuid, state: 'active' },
      ],
    });
    expect((await lend(allocated)).status).toBe(409);
    expect(
      (await lend(await machine({ automated_clean: false }), { on_end: { clean: true } })).status,
    ).toBe(409);
  });

  it('keeps owner and lessee as they are until it is ended', async () => {
    const { node } = await lent();
    for (const change of [
      replaces('lessee', newProject('other')),
      [{ op: 'remove', path: '/lessee' }],
    ])
      expect(await statusFor(owner, `PATCH /v1/nodes/${node.uuid}`, change)).toBe(409);
    expect(
      await statusFor(systemAdmin, `PATCH /v1/nodes/${node.uuid}`, replaces('owner', 'p')),
    ).toBe(409);
  });
});
