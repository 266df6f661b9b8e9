import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { uuidOf } from './testing/fixtures.js';
import { startTestApp, type TestApp } from './testing/test-app.js';

let app: TestApp;
beforeEach(async () => {
  app = await startTestApp();
});
afterEach(() => app.close());

const load = (body: unknown) =>
  app.call({ from: 'cli', method: 'POST', target: '/internal/import', body });
const dump = (query: string) => app.call({ from: 'cli', target: `/internal/export?${query}` });
const rowsOf = async (section: string): Promise<readonly Record<string, unknown>[]> =>
  ((await dump(`section=${section}`)).body as { rows: readonly Record<string, unknown>[] }).rows;

const node = (number: number, values: Readonly<Record<string, unknown>> = {}) => ({
  uuid: uuidOf(number),
  name: `n${String(number)}`,
  driver: 'fake-hardware',
  ...values,
});

describe('import', () => {
  it('takes every field, and export gives it back with its secrets', async () => {
    const row = node(1, {
      owner: 'p-a',
      lessee: 'p-b',
      provision_state: 'active',
      power_state: 'power on',
      reservation: 'c1',
      last_error: 'x',
      maintenance: true,
      maintenance_reason: 'y',
      fault: 'z',
      driver_info: { redfish_password: 'pw' },
      driver_internal_info: { a: 1 },
      traits: ['T1'],
      created_at: '2026-01-01T00:00:00+00:00',
      updated_at: '2026-01-02T00:00:00+00:00',
      instance_uuid: uuidOf(7),
      properties: { cpus: 4 },
    });
    expect((await load({ nodes: [row] })).body).toEqual({ imported: { nodes: 1 } });
    expect(await rowsOf('nodes')).toMatchObject([row]);
  });

  it('of an export changes nothing in the views', async () => {
    await load({
      nodes: [node(1), node(2)],
      chassis: [{ uuid: uuidOf(3), description: 'c', extra: {} }],
      ports: [
        {
          uuid: uuidOf(4),
          node_uuid: uuidOf(1),
          address: '52:54:00:00:00:01',
          internal_info: { a: 1 },
          pxe_enabled: true,
        },
      ],
      portgroups: [{ uuid: uuidOf(5), node_uuid: uuidOf(1) }],
      volume_connectors: [
        { uuid: uuidOf(6), node_uuid: uuidOf(1), type: 'iqn', connector_id: 'i' },
      ],
      volume_targets: [
        { uuid: uuidOf(7), node_uuid: uuidOf(1), boot_index: 0, properties: { password: 'pw' } },
      ],
      allocations: [
        {
          uuid: uuidOf(8),
          name: 'a',
          owner: 'p-a',
          node_uuid: uuidOf(2),
          state: 'active',
          resource_class: 'x',
        },
      ],
      leases: [
        {
          uuid: uuidOf(12),
          node_uuid: uuidOf(1),
          owner: 'p-a',
          lessee: 'p-b',
          status: 'active',
          start_time: '2026-11-21T07:00:00+00:00',
          end_time: '2026-11-21T09:00:00+00:00',
        },
      ],
      deploy_templates: [
        {
          uuid: uuidOf(9),
          name: 'CUSTOM_T',
          steps: [{ interface: 'deploy', step: 's', args: {}, priority: 1 }],
        },
      ],
      claims: [{ uuid: 'volume:v-1', kind: 'volume', id: 'v-1', project_id: 'p-a' }],
      node_documents: [
        { uuid: `${uuidOf(1)}:bios`, node_uuid: uuidOf(1), document: { settings: [] } },
      ],
      node_history: [
        {
          uuid: uuidOf(10),
          node_uuid: uuidOf(1),
          created_at: '2026-11-21T07:00:00+00:00',
          severity: 'ERROR',
          event: 'It broke.',
          user: 'u-1',
        },
      ],
      quotas: [{ uuid: 'project:p-a', limits: { servers: 5 } }],
    });
    const sections = [
      'nodes',
      'chassis',
      'ports',
      'portgroups',
      'volume_connectors',
      'volume_targets',
      'allocations',
      'leases',
      'deploy_templates',
      'claims',
      'node_documents',
      'node_history',
      'quotas',
    ];
    const first: Record<string, unknown> = {};
    for (const section of sections) {
      const rows = await rowsOf(section);
      expect(rows).not.toHaveLength(0);
      first[section] = rows;
    }
    expect((await load(first)).status).toBe(200);
    for (const section of sections) expect(await rowsOf(section)).toEqual(first[section]);
    const other = await startTestApp();
    const restored = await other.call({
      from: 'cli',
      method: 'POST',
      target: '/internal/import',
      body: first,
    });
    expect(restored.status).toBe(200);
    for (const section of sections) {
      const target = `/internal/export?section=${section}`;
      expect((await other.call({ from: 'cli', target })).body).toMatchObject({
        rows: first[section],
      });
    }
    await other.close();
  });

  it('binds a lease and its node to one another, and one lease only', async () => {
    const lease = (number: number, fields = {}) => ({
      uuid: uuidOf(number),
      node_uuid: uuidOf(1),
      lessee: 'p-b',
      status: 'active',
      start_time: '2026-11-21T07:00:00Z',
      end_time: '2026-11-21T10:00:00.5+01:00',
      ...fields,
    });
    await load({
      nodes: [node(1, { owner: 'p-a' })],
      leases: [lease(12), lease(13, { status: 'pending' })],
    });
    expect(await app.stores.nodes.findBy('uuid', uuidOf(1))).toMatchObject({
      lessee: 'p-b',
      lease_uuid: uuidOf(12),
      lease_end: '2026-11-21T09:00:00+00:00',
      lessee_until: '2026-11-21T09:00:00+00:00',
      tenancy_revision: 2,
    });
    expect(await rowsOf('leases')).toMatchObject([
      { uuid: uuidOf(12), status: 'active', on_end: { undeploy: true, clean: true } },
      { uuid: uuidOf(13), status: 'cancelled' },
    ]);
  });

  it('completes rows by their catalogue, and stores them as the API would', async () => {
    const address = '52:54:00:AB:00:01';
    await load({ ports: [{ uuid: uuidOf(4), node_uuid: uuidOf(1), address, pxe_enabled: null }] });
    expect(await rowsOf('ports')).toMatchObject([
      {
        address: '52:54:00:ab:00:01',
        pxe_enabled: true,
        is_smartnic: false,
        extra: {},
        portgroup_uuid: null,
        created_at: '2026-11-21T08:00:00+00:00',
      },
    ]);
  });

  it('lets volume targets of one node swap their boot indexes', async () => {
    const rows = (first: number, second: number) => [
      { uuid: uuidOf(7), node_uuid: uuidOf(1), boot_index: first },
      { uuid: uuidOf(8), node_uuid: uuidOf(1), boot_index: second },
    ];
    await load({ volume_targets: rows(0, 1) });
    expect((await load({ volume_targets: rows(1, 0) })).status).toBe(200);
    expect((await rowsOf('volume_targets')).map((row) => row['boot_index'])).toEqual([1, 0]);
    expect((await load({ volume_targets: rows(1, 1) })).body).toMatchObject({ code: 'duplicate' });
  });

  it('takes nodes as the API shows them', async () => {
    await load({ nodes: [node(1, { owner: 'p-a' })] });
    const { body } = await app.onNode(uuidOf(1), {});
    expect((await load({ nodes: [body] })).status).toBe(200);
    expect((await app.onNode(uuidOf(1), {})).body).toEqual(body);
  });

  it('replaces what has the same uuid: numbers grow, and fences stay', async () => {
    await load({ nodes: [node(1, { owner: 'p-a', extra: { a: 1 } })] });
    await load({ nodes: [node(1, { owner: 'p-a' })] });
    expect(await app.stores.nodes.findBy('uuid', uuidOf(1))).toMatchObject({
      extra: {},
      revision: 2,
      tenancy_revision: 1,
      fence: 1,
    });
    await load({ nodes: [node(1, { owner: 'p-b' })] });
    expect(await app.stores.nodes.findBy('uuid', uuidOf(1))).toMatchObject({
      revision: 3,
      tenancy_revision: 2,
      fence: 1,
    });
  });

  it('binds an allocation and its node to one another', async () => {
    await load({
      nodes: [node(1)],
      allocations: [{ uuid: uuidOf(8), node_uuid: uuidOf(1), state: 'active' }],
    });
    expect(await app.stores.nodes.findBy('uuid', uuidOf(1))).toMatchObject({
      allocation_uuid: uuidOf(8),
      instance_uuid: uuidOf(8),
    });
  });

  it.each([
    [
      { nodes: [node(1), { ...node(2), bogus: 1 }] },
      `nodes[1] (${uuidOf(2)}): field 'bogus' is not a field of a node`,
    ],
    [
      { nodes: [node(1, { maintenance: 'perhaps' })] },
      `nodes[0] (${uuidOf(1)}): field 'maintenance' has a value that is not valid`,
    ],
    [{ nodes: [{ name: 'x', driver: 'redfish' }] }, "nodes[0]: field 'uuid' must be a UUID"],
    [{ nodes: [{ uuid: uuidOf(1) }] }, `nodes[0] (${uuidOf(1)}): field 'driver' is missing`],
    [
      { ports: [{ uuid: uuidOf(1), bogus: 1 }] },
      `ports[0] (${uuidOf(1)}): field 'bogus' is not a field of ports`,
    ],
    [
      { ports: [{ uuid: uuidOf(1), address: 'x' }] },
      `ports[0] (${uuidOf(1)}): field 'address' has a value that is not valid`,
    ],
    [
      { ports: [{ uuid: uuidOf(1), local_link_connection: { port_id: 'x' } }] },
      `ports[0] (${uuidOf(1)}): Missing mandatory keys in local_link_connection: switch_id`,
    ],
    [
      { ports: [{ uuid: uuidOf(1), address: '52:54:00:00:00:01' }] },
      `ports[0] (${uuidOf(1)}): field 'node_uuid' is missing`,
    ],
    [{ chassis: [{ uuid: 'x' }] }, "chassis[0] (x): field 'uuid' has a value that is not valid"],
    [
      { volume_connectors: [{ uuid: uuidOf(1), type: 'odd' }] },
      `volume_connectors[0] (${uuidOf(1)}): field 'type' has a value that is not valid`,
    ],
    [
      { claims: [{ uuid: 'volume:x', kind: 'volume', id: 'x' }] },
      "claims[0] (volume:x): field 'project_id' is missing",
    ],
    [
      { allocations: [{ uuid: uuidOf(1), state: 'odd' }] },
      `allocations[0] (${uuidOf(1)}): field 'state' has a value that is not valid`,
    ],
    [{ nodes: [node(1), node(1)] }, 'nodes: a uuid is missing, or is given twice in one batch.'],
    [
      { bogus: [] },
      "Schema error for inventory document: must NOT have additional properties ('bogus' was unexpected)",
    ],
  ])('refuses %j, saying where', async (body, detail) => {
    expect((await load(body)).body).toMatchObject({ status: 400, detail });
    expect(await rowsOf('nodes')).toEqual([]);
  });

  it('refuses a name that another node has', async () => {
    await load({ nodes: [node(1)] });
    expect((await load({ nodes: [node(2, { name: 'n1' })] })).body).toMatchObject({
      status: 409,
      code: 'duplicate',
    });
    expect(await rowsOf('nodes')).toHaveLength(1);
  });

  it.each([2, 600])('lets %d nodes pass their names on, each to the next', async (count) => {
    const rows = (shift: number) =>
      Array.from({ length: count }, (_, index) =>
        node(index + 1, { name: `n${String((index + shift) % count)}` }),
      );
    await load({ nodes: rows(0) });
    expect(await load({ nodes: rows(1) })).toMatchObject({
      status: 200,
      body: { imported: { nodes: count } },
    });
    const names = (await rowsOf('nodes')).map(({ name }) => name);
    expect(names).toEqual(rows(1).map(({ name }) => name));
  });

  it('lets allocations swap their names', async () => {
    const rows = (first: string, second: string) => [
      { uuid: uuidOf(8), name: first },
      { uuid: uuidOf(9), name: second },
    ];
    await load({ allocations: rows('a', 'b') });
    expect((await load({ allocations: rows('b', 'a') })).status).toBe(200);
    expect((await rowsOf('allocations')).map(({ name }) => name)).toEqual(['b', 'a']);
  });

  it('takes bodies that are too large for every other route', async () => {
    const extra = { filler: 'x'.repeat(400_000) };
    expect((await load({ nodes: [1, 2, 3].map((number) => node(number, { extra })) })).status).toBe(
      200,
    );
    expect(
      (
        await app.call({
          from: 'gateway',
          method: 'POST',
          target: '/v1/nodes',
          body: { driver: 'redfish', a: extra, b: extra, c: extra },
        })
      ).status,
    ).toBe(413);
  });
});

describe('export', () => {
  it('pages through a section', async () => {
    await load({ nodes: [1, 2, 3].map((number) => node(number)) });
    const first = await dump('section=nodes&limit=2');
    expect(first.body).toMatchObject({
      rows: [{ uuid: uuidOf(1) }, { uuid: uuidOf(2) }],
      next: uuidOf(2),
    });
    expect((await dump(`section=nodes&limit=2&marker=${uuidOf(2)}`)).body).toMatchObject({
      rows: [{ uuid: uuidOf(3) }],
      next: null,
    });
  });

  it.each([
    'section=bogus',
    'limit=1',
    'section=nodes&limit=0',
    `section=nodes&marker=${uuidOf(9)}`,
    'section=nodes&x=1',
  ])('refuses %s', async (query) => {
    expect((await dump(query)).status).toBe(400);
  });
});
