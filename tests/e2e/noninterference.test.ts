import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { availableNode } from '../support/fleet.js';
import { type Answer, ask } from '../support/http-client.js';
import { inProject, newProject, type Persona } from '../support/personas.js';
import { sharedTenure, type Tenure } from '../support/tenure.js';

// Two tenants. Nothing that A may ask has an answer that depends on whether B's node is there: whatever names B's
// node is answered, byte for byte, as if it named nothing.

const projectA = newProject('tenant-a');
const projectB = newProject('tenant-b');
const lesseeProject = newProject('tenant-c');
const adminA = inProject(projectA, 'admin');
const readerA = inProject(projectA, 'reader');
const noRoleA = inProject(projectA);
const unscoped: Persona = { user: 'nobody', scope: 'none', roles: ['admin'] };
const domainAdmin: Persona = {
  user: 'domain-admin',
  scope: { domain: 'default' },
  roles: ['admin'],
};

// Names and ids of the same length, so that lengths tell nothing either.
const word = randomUUID().slice(0, 8);
const hidden = { uuid: randomUUID(), name: `${word}-hidden` };
const absent = { uuid: randomUUID(), name: `${word}-absent` };
const hiddenAllocation = { uuid: randomUUID(), name: `${word}-hidden-allocation` };
const absentAllocation = { uuid: randomUUID(), name: `${word}-absent-allocation` };
const ownNodes = Array.from({ length: 5 }, (_, n) =>
  availableNode(`${projectA}-${String(n)}`, { owner: projectA }),
);

let tenure: Tenure;

beforeAll(async () => {
  tenure = await sharedTenure();
  await tenure.importDocument({
    nodes: [
      ...ownNodes,
      // Busy, broken and leased: none of it may show.
      availableNode(hidden.name, {
        uuid: hidden.uuid,
        owner: projectB,
        lessee: lesseeProject,
        maintenance: true,
        last_error: 'boom',
        provision_state: 'active',
        instance_uuid: randomUUID(),
        resource_class: `class-${projectB}`,
        driver_info: { address: 'bmc-of-b.example' },
      }),
    ],
    allocations: [
      {
        ...hiddenAllocation,
        owner: projectB,
        resource_class: `class-${projectB}`,
        state: 'error',
        node_uuid: null,
      },
    ],
  });
});

const changing = /^(date|x-openstack-request-id|openstack-request-id|x-tenure-decision-id)$/;

/** What an observer sees, with what the observer put in replaced, and what differs every time left out. */
function view(answer: Answer, ident: string): unknown {
  const replace = (text: string): string => text.replaceAll(ident, 'IDENT');
  const headers = Object.entries(answer.headers)
    .filter(([name]) => !changing.test(name))
    .map(([name, value]) => [name, replace(value)]);
  const requestIds = [answer.headers['x-openstack-request-id'] ?? 'none'];
  return {
    status: answer.status,
    headers,
    text: requestIds.reduce((text, id) => text.replaceAll(id, 'REQUEST'), replace(answer.text)),
  };
}

type Template = readonly [
  label: string,
  line: (ident: string) => string,
  body?: (ident: string) => unknown,
];

const patch =
  (path: string, value: unknown): (() => unknown) =>
  () => [{ op: 'replace', path, value }];

const nodeTemplates: readonly Template[] = [
  ['show', (id) => `GET /v1/nodes/${id}`],
  ['show of fields', (id) => `GET /v1/nodes/${id}?fields=uuid,owner`],
  ['show of a field that does not exist', (id) => `GET /v1/nodes/${id}?fields=colour`],
  ['states', (id) => `GET /v1/nodes/${id}/states`],
  ['validate', (id) => `GET /v1/nodes/${id}/validate`],
  ['validate by query', (id) => `GET /v1/nodes/validate?node=${id}`],
  ['boot device', (id) => `GET /v1/nodes/${id}/management/boot_device`],
  ['update', (id) => `PATCH /v1/nodes/${id}`, patch('/name', 'x')],
  ['update of the owner', (id) => `PATCH /v1/nodes/${id}`, patch('/owner', projectA)],
  ['update of the lessee', (id) => `PATCH /v1/nodes/${id}`, patch('/lessee', projectA)],
  [
    'update of a field that cannot be updated',
    (id) => `PATCH /v1/nodes/${id}`,
    patch('/uuid', absent.uuid),
  ],
  [
    'update of a field that does not exist',
    (id) => `PATCH /v1/nodes/${id}`,
    patch('/colour', 'red'),
  ],
  ['update that is no patch', (id) => `PATCH /v1/nodes/${id}`, () => ({ name: 'x' })],
  ['delete', (id) => `DELETE /v1/nodes/${id}`],
  ['power', (id) => `PUT /v1/nodes/${id}/states/power`, () => ({ target: 'power on' })],
  [
    'power that is no power',
    (id) => `PUT /v1/nodes/${id}/states/power`,
    () => ({ target: 'sideways' }),
  ],
  ['maintenance', (id) => `PUT /v1/nodes/${id}/maintenance`, () => ({ reason: 'x' })],
  ['end of maintenance', (id) => `DELETE /v1/nodes/${id}/maintenance`],
  ['list after it', (id) => `GET /v1/nodes?marker=${id}`],
  ['detailed list after it', (id) => `GET /v1/nodes/detail?marker=${id}`],
  ['sorted list after it', (id) => `GET /v1/nodes?sort_key=name&marker=${id}`],
  ['list by instance', (id) => `GET /v1/nodes?instance_uuid=${id}`],
  ['list of its children', (id) => `GET /v1/nodes?parent_node=${id}`],
  ['allocations of it', (id) => `GET /v1/allocations?node=${id}`],
  ['its allocation', (id) => `GET /v1/nodes/${id}/allocation`],
  ['its allocation deleted', (id) => `DELETE /v1/nodes/${id}/allocation`],
  ['a path below it that does not exist', (id) => `GET /v1/nodes/${id}/colour`],
  ['a method that does not exist', (id) => `POST /v1/nodes/${id}`, () => ({})],
];

const allocationTemplates: readonly Template[] = [
  ['show', (id) => `GET /v1/allocations/${id}`],
  ['delete', (id) => `DELETE /v1/allocations/${id}`],
  ['update', (id) => `PATCH /v1/allocations/${id}`, patch('/name', 'x')],
  ['list after it', (id) => `GET /v1/allocations?marker=${id}`],
];

const viewers: readonly (readonly [string, Persona])[] = [
  ['an admin of another project', adminA],
  ['a reader of another project', readerA],
  ['someone without a role', noRoleA],
  ['an unscoped token', unscoped],
  ['a domain admin', domainAdmin],
];

async function same(
  persona: Persona,
  [, line, body]: Template,
  pair: readonly [string, string],
): Promise<void> {
  const [there, nowhere] = await Promise.all(
    pair.map(async (ident) => {
      const answer = await ask(
        tenure,
        persona,
        line(ident),
        body === undefined ? {} : { body: body(ident) },
      );
      return view(answer, ident);
    }),
  );
  expect(there).toEqual(nowhere);
  expect((there as { status: number }).status).not.toBe(500);
  expect(JSON.stringify(there)).not.toContain('bmc-of-b');
}

describe.each(viewers)('%s', (_, persona) => {
  it.each(nodeTemplates.map((template) => [template[0], template] as const))(
    'learns nothing of a node by uuid: %s',
    async (_label, template) => {
      expect.hasAssertions();
      await same(persona, template, [hidden.uuid, absent.uuid]);
    },
  );

  it.each(nodeTemplates.map((template) => [template[0], template] as const))(
    'learns nothing of a node by name: %s',
    async (_label, template) => {
      expect.hasAssertions();
      await same(persona, template, [hidden.name, absent.name]);
    },
  );

  it.each(allocationTemplates.map((template) => [template[0], template] as const))(
    'learns nothing of an allocation by uuid: %s',
    async (_label, template) => {
      expect.hasAssertions();
      await same(persona, template, [hiddenAllocation.uuid, absentAllocation.uuid]);
    },
  );

  it.each(allocationTemplates.map((template) => [template[0], template] as const))(
    'learns nothing of an allocation by name: %s',
    async (_label, template) => {
      expect.hasAssertions();
      await same(persona, template, [hiddenAllocation.name, absentAllocation.name]);
    },
  );
});

describe('the id of the decision', () => {
  it('does not tell by repeating itself, or by not doing so, which of two unseen nodes is there', async () => {
    const idOf = async (ident: string): Promise<string> =>
      (await ask(tenure, readerA, `GET /v1/nodes/${ident}`)).headers['x-tenure-decision-id'] ??
      'none';
    const pattern = async (first: string, second: string): Promise<readonly boolean[]> => {
      const ids = [await idOf(first), await idOf(second), await idOf(first), await idOf(second)];
      return ids.flatMap((left, index) => ids.slice(index + 1).map((right) => left === right));
    };
    const between = await pattern(randomUUID(), randomUUID());
    expect(await pattern(hidden.uuid, randomUUID())).toEqual(between);
    expect(await pattern(randomUUID(), hidden.uuid)).toEqual(between);
  });
});

describe('lists', () => {
  const uuids = (answer: Answer): readonly string[] =>
    (answer.json as { nodes: { uuid: string }[] }).nodes.map(({ uuid }) => uuid);

  it.each([
    ['all', ''],
    ['of another owner', `?owner=${projectB}`],
    ['of another lessee', `?lessee=${lesseeProject}`],
    ['of a resource class', `?resource_class=class-${projectB}`],
    ['in maintenance', '?maintenance=true'],
    ['of an instance state', '?associated=true'],
    ['in a provision state', '?provision_state=active'],
    ['of a driver', '?driver=fake-hardware'],
    ['sorted by owner', '?sort_key=owner&sort_dir=desc'],
    ['sorted by name', '?sort_key=name'],
    ['sorted by a secret', '?sort_key=last_error'],
    ['detailed', '?detail=true'],
    ['described', '?description_contains=boom'],
  ])("shows to A only what is A's: %s", async (_, query) => {
    const answer = await ask(tenure, readerA, `GET /v1/nodes${query}`);
    expect([200, 400, 403]).toContain(answer.status);
    expect(answer.text).not.toContain(hidden.uuid);
    expect(answer.text).not.toContain(hidden.name);
    const own = new Set(ownNodes.map(({ uuid }) => uuid));
    const seen = answer.status === 200 ? uuids(answer) : [];
    expect(seen.filter((uuid) => !own.has(uuid))).toEqual([]);
  });

  it("shows all of A's nodes, and says by which filter", async () => {
    const answer = await ask(tenure, readerA, 'GET /v1/nodes');
    expect(uuids(answer).toSorted()).toEqual(ownNodes.map(({ uuid }) => uuid).toSorted());
    expect(answer.headers['x-tenure-policy-filter']).toBe('owner,lessee');
  });

  it("pages without a gap where B's nodes lie between", async () => {
    const seen: string[] = [];
    let target = '/v1/nodes?limit=2';
    for (let page = 0; page < 5; page += 1) {
      const answer = await ask(tenure, readerA, `GET ${target}`);
      const { next } = answer.json as { readonly next?: string };
      seen.push(...uuids(answer));
      if (next === undefined) break;
      expect(next).not.toContain(hidden.uuid);
      const { pathname, search } = new URL(next);
      target = pathname + search;
    }
    expect(seen.toSorted()).toEqual(ownNodes.map(({ uuid }) => uuid).toSorted());
  });

  it.each([
    ['someone without a role', noRoleA],
    ['an unscoped token', unscoped],
    ['a domain admin', domainAdmin],
  ])('are refused to %s with 403', async (_, persona) => {
    expect((await ask(tenure, persona, 'GET /v1/nodes')).status).toBe(403);
    expect((await ask(tenure, persona, 'GET /v1/allocations')).status).toBe(403);
  });

  it("do not let A's create collide with a name of B in a telling way", async () => {
    // A may not create nodes at all, so both are refused before the name is looked at.
    const create = async (name: string): Promise<unknown> =>
      view(
        await ask(tenure, adminA, 'POST /v1/nodes', { body: { driver: 'fake-hardware', name } }),
        name,
      );
    expect(await create(hidden.name)).toEqual(await create(absent.name));
    const ownUuid = async (uuid: string): Promise<unknown> =>
      view(
        await ask(tenure, adminA, 'POST /v1/nodes', { body: { driver: 'fake-hardware', uuid } }),
        uuid,
      );
    expect(await ownUuid(hidden.uuid)).toEqual(await ownUuid(absent.uuid));
  });
});
