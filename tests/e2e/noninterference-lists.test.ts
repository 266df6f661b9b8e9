import { beforeAll, describe, expect, it } from '@jest/globals';
import { availableNode } from '../support/fleet.js';
import { type Answer, ask } from '../support/http-client.js';
import { inProject } from '../support/personas.js';
import { sharedTenure, type Tenure } from '../support/tenure.js';
import { eventually } from '../support/wait.js';
import { seenIn, showsB } from './noninterference/probe.js';
import { type ReadRoute, readRoutes, sortKeysOf } from './noninterference/routes.js';
import { A, B, twinOf } from './noninterference/tenants.js';

// What A lists is A's, whatever it is sorted by, and what A writes conflicts with B only in names that are taken.

const readerA = inProject(A.project, 'reader');
const adminA = inProject(A.project, 'admin');
const moreNodes = Array.from({ length: 5 }, (_, n) =>
  availableNode(`${A.project}-${String(n)}`, { owner: A.project }),
);

let tenure: Tenure;
let routes: readonly ReadRoute[];

beforeAll(async () => {
  tenure = await sharedTenure();
  await tenure.importDocument(A.document);
  await tenure.importDocument(B.document);
  await tenure.importDocument({ nodes: moreNodes });
  routes = await readRoutes(tenure);
});

const own = (...names: readonly string[]): readonly string[] =>
  names.map((name) => A.names[name] ?? '');

const LISTS: readonly {
  readonly path: string;
  readonly member: string;
  readonly uuids: readonly string[];
  /** Of these A may not see the value in every node that it might lease. */
  readonly refused: readonly string[];
}[] = [
  {
    path: '/v1/nodes',
    member: 'nodes',
    uuids: [...own('node', 'idle'), ...moreNodes.map(({ uuid }) => uuid)],
    refused: ['chassis_uuid', 'conductor_group', 'reservation'],
  },
  { path: '/v1/ports', member: 'ports', uuids: own('port'), refused: [] },
  { path: '/v1/portgroups', member: 'portgroups', uuids: own('portgroup'), refused: [] },
  { path: '/v1/volume/connectors', member: 'connectors', uuids: own('connector'), refused: [] },
  { path: '/v1/volume/targets', member: 'targets', uuids: own('target'), refused: [] },
  { path: '/v1/allocations', member: 'allocations', uuids: own('allocation'), refused: [] },
  { path: '/v1/leases', member: 'leases', uuids: own('lease'), refused: [] },
];

function rowsIn(answer: Answer, member: string): readonly string[] {
  const rows = (answer.json as Readonly<Record<string, readonly { uuid: string }[] | undefined>>)[
    member
  ]; // the shape of every list
  return (rows ?? []).map(({ uuid }) => uuid);
}

/** Every page from here on; a status when the first is no page. */
async function pagesFrom(first: string, member: string): Promise<readonly string[] | number> {
  const seen: string[] = [];
  let target: string | undefined = first;
  while (target !== undefined && seen.length < 100) {
    const answer: Answer = await ask(tenure, readerA, `GET ${target}`, { version: 'latest' });
    if (answer.status === 403 || answer.status === 406) return answer.status;
    expect([answer.status, showsB(seenIn(answer, 'nothing'))]).toEqual([200, false]);
    expect(answer.headers['x-tenure-policy-filter']).toBe(
      member === 'allocations' ? 'owner' : 'owner,lessee',
    );
    seen.push(...rowsIn(answer, member));
    const { next } = answer.json as { readonly next?: string };
    target = next === undefined ? undefined : `${new URL(next).pathname}${new URL(next).search}`;
  }
  return seen;
}

describe.each(LISTS.map((list) => [list.path, list] as const))(
  '%s',
  (_, { path, member, uuids, refused }) => {
    it.each(['asc', 'desc'])(
      "pages through all of A's rows and no other, %s by whatever A may see",
      async (direction) => {
        const seen = new Map<string, readonly string[] | number>();
        for (const key of sortKeysOf(routes, path)) {
          const pages = await pagesFrom(
            `${path}?limit=2&sort_key=${key}&sort_dir=${direction}`,
            member,
          );
          seen.set(key, typeof pages === 'number' ? pages : pages.toSorted());
        }
        // A key that is newer than the newest version is not acceptable to anyone yet.
        const served = [...seen].filter(([, pages]) => pages !== 406);
        const listed = uuids.toSorted();
        expect(served.length).toBeGreaterThan(refused.length);
        expect(served).toEqual(served.map(([key]) => [key, refused.includes(key) ? 403 : listed]));
      },
    );

    it.each([
      ['someone without a role', inProject(A.project)],
      ['an unscoped token', { user: 'nobody', scope: 'none', roles: ['admin'] } as const],
      [
        'a domain admin',
        { user: 'domain-admin', scope: { domain: 'default' }, roles: ['admin'] } as const,
      ],
    ])('is refused to %s', async (_who, persona) => {
      expect((await ask(tenure, persona, `GET ${path}`, { version: 'latest' })).status).toBe(403);
    });
  },
);

describe('a value that only one may have', () => {
  const replace = (path: string, value: unknown) => [{ op: 'add', path, value }];
  const nameOf = (name: string): string => B.names[name] ?? '';

  it.each([
    ['a name of a node', 'PATCH /v1/nodes/{node}', 'nodeName', '/name'],
    ['an instance', 'PATCH /v1/nodes/{node}', 'allocation', '/instance_uuid'],
    ['an address', 'PATCH /v1/ports/{port}', 'portAddress', '/address'],
    ['a name of a port', 'PATCH /v1/ports/{port}', 'portName', '/name'],
    [
      'an address of a port group',
      'PATCH /v1/portgroups/{portgroup}',
      'portgroupAddress',
      '/address',
    ],
    ['a name of a port group', 'PATCH /v1/portgroups/{portgroup}', 'portgroupName', '/name'],
    ['a connector', 'PATCH /v1/volume/connectors/{connector}', 'connectorId', '/connector_id'],
    ['a name of an allocation', 'PATCH /v1/allocations/{allocation}', 'allocationName', '/name'],
  ])('is taken, and that is all that is said of %s', async (_, line, name, member) => {
    const value = nameOf(name);
    const target = line.replace(/\{([a-z]+)\}/u, (_all, key: string) => A.names[key] ?? '');
    const answer = await ask(tenure, adminA, target, {
      version: 'latest',
      body: replace(member, value),
    });
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 409 });
    expect(showsB(seenIn(answer, value))).toBe(false);
  });

  it.each([
    ['a VIF', 'POST /v1/nodes/{node}/vifs', 'vif', (value: string) => ({ id: value })],
    [
      'a volume',
      'POST /v1/volume/targets',
      'volume',
      (value: string) => ({
        node_uuid: A.names['node'],
        volume_type: 'iscsi',
        boot_index: 9,
        volume_id: value,
      }),
    ],
  ])('is refused, and nothing is said of whose it is: %s', async (_, line, name, body) => {
    const value = nameOf(name);
    const target = line.replace('{node}', A.names['node'] ?? '');
    const answer = await ask(tenure, adminA, target, { version: 'latest', body: body(value) });
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 400 });
    expect(showsB(seenIn(answer, value))).toBe(false);
  });

  it.each([
    ['/v1/ports', 'port', { node_uuid: A.names['node'], address: '02:00:00:00:00:04' }],
    ['/v1/portgroups', 'portgroup', { node_uuid: A.names['node'] }],
    [
      '/v1/volume/connectors',
      'connector',
      { node_uuid: A.names['node'], type: 'iqn', connector_id: 'iqn.2026-11.test:mine' },
    ],
    ['/v1/allocations', 'allocation', { resource_class: A.names['class'] }],
  ])('is taken, and that is all that is said of a uuid in %s', async (collection, name, body) => {
    const uuid = nameOf(name);
    const answer = await ask(tenure, adminA, `POST ${collection}`, {
      version: 'latest',
      body: { uuid, ...body },
    });
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 409 });
    expect(showsB(seenIn(answer, uuid))).toBe(false);
  });
});

describe('an allocation of A', () => {
  const outcomeOf = async (resourceClass: string, traits: readonly string[]): Promise<string> => {
    const created = await ask(tenure, adminA, 'POST /v1/allocations', {
      version: 'latest',
      body: { resource_class: resourceClass, traits },
    });
    const { uuid } = created.json as { readonly uuid: string };
    const finished = await eventually(
      () => ask(tenure, adminA, `GET /v1/allocations/${uuid}`, { version: 'latest' }),
      ({ json }) => (json as { readonly state: string }).state !== 'allocating',
    );
    const sent = [uuid, resourceClass, ...traits];
    const {
      state,
      node_uuid: node,
      last_error: reason,
    } = finished.json as Readonly<Record<string, unknown>>;
    return sent.reduce(
      (text, one) => text.replaceAll(one, 'SENT'),
      JSON.stringify({ state, node, reason }),
    );
  };

  it('ends the same whether the nodes that match are B’s or unowned', async () => {
    const value = (name: string): string => B.names[name] ?? '';
    const cases = [
      [value('class'), []],
      [value('class'), [value('trait')]],
      [A.names['class'] ?? '', [value('trait')]],
    ] as const;
    for (const [resourceClass, traits] of cases) {
      const there = await outcomeOf(resourceClass, traits);
      expect(there).toBe(await outcomeOf(twinOf(resourceClass), traits.map(twinOf)));
      expect(there).toContain('"state":"error"');
    }
  });
});
