import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { faultOf } from '@tenure/testing';
import { uuidOf } from './testing/fixtures.js';
import { leaseCalls, LESSEE, OWNER } from './testing/lease-calls.js';
import { macOf, resourceCalls } from './testing/resource-calls.js';
import { type SignedCall } from './testing/signed-request.js';
import { NOTHING, seesAll, seesOwn, startTestApp, type TestApp } from './testing/test-app.js';

let app: TestApp;
const { add, addNode } = resourceCalls(() => app);
const { lend, change, end, leaseIn, tenancyOf, round, storedNode, report } = leaseCalls(() => app);
const { reportHandover, handOver } = leaseCalls(() => app);

const END = '2026-11-21T09:00:00+00:00';
const BEFORE = '2026-11-21T08:59:59.999Z';
const AT = '2026-11-21T09:00:00.000Z';

beforeEach(async () => {
  app = await startTestApp();
  await addNode(1, { owner: OWNER });
});
afterEach(() => app.close());

/** The nodes and ports in the lessee's lists. */
async function listed(path: string): Promise<readonly string[]> {
  const { body } = await app.call({
    from: 'gateway',
    target: path,
    context: { obligations: seesOwn(LESSEE) },
  });
  const [rows] = Object.values(body as Record<string, readonly { uuid: string }[]>);
  return (rows ?? []).map(({ uuid }) => uuid);
}

describe('a lease that lasts', () => {
  it('is made at once, and the node is the lessee’s', async () => {
    const answer = await lend({ end_time: '2026-11-21T10:00:00.7+01:00', purpose: 'tests' });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      uuid: expect.any(String),
      created_at: '2026-11-21T08:00:00+00:00',
      updated_at: '2026-11-21T08:00:00+00:00',
      node_uuid: uuidOf(1),
      owner: OWNER,
      lessee: LESSEE,
      status: 'active',
      reason: null,
      start_time: '2026-11-21T08:00:00+00:00',
      end_time: END,
      started_at: '2026-11-21T08:00:00+00:00',
      ended_at: null,
      on_end: { undeploy: true, clean: true },
      purpose: 'tests',
      sealed: null,
      links: expect.any(Array),
    });
    expect(await tenancyOf(1)).toMatchObject({ owner: OWNER, lessee: LESSEE, tenancy_revision: 2 });
  });

  it('is nothing that a node shows', async () => {
    await lend({ end_time: END });
    const { body } = await app.onNode(uuidOf(1), {});
    expect(Object.keys(body as object).filter((name) => name.startsWith('lease'))).toEqual([]);
    expect(body).toMatchObject({ lessee: LESSEE });
  });
});

describe('at the end of a lease, while nobody has noticed', () => {
  beforeEach(async () => {
    await lend({ end_time: END });
    await add('ports', 11, { node_uuid: uuidOf(1), address: macOf(11) });
  });

  it('the node is the lessee’s until the last millisecond, and has no tenant from then on', async () => {
    app.setNow(BEFORE);
    expect(await tenancyOf(1)).toMatchObject({ lessee: LESSEE, tenancy_revision: 2 });
    app.setNow(AT);
    expect(await tenancyOf(1)).toMatchObject({ lessee: null, tenancy_revision: 3 });
  });

  it('lists of the lessee are empty', async () => {
    const paths = ['/v1/nodes', '/v1/nodes/detail', '/v1/ports', `/v1/nodes?lessee=${LESSEE}`];
    app.setNow(BEFORE);
    for (const path of paths) expect(await listed(path)).toHaveLength(1);
    app.setNow(AT);
    for (const path of paths) expect(await listed(path)).toEqual([]);
  });

  it('what was decided before is stale: reads, writes, locks, and what hangs on the node', async () => {
    const resources = [{ type: 'node', uuid: uuidOf(1), tenancy_revision: 2 }];
    const port = { type: 'port', uuid: uuidOf(11), tenancy_revision: 2 };
    const calls: readonly SignedCall[] = [
      { from: 'gateway', target: `/v1/nodes/${uuidOf(1)}`, context: { resources } },
      { from: 'gateway', target: `/v1/nodes/${uuidOf(1)}/states`, context: { resources } },
      {
        from: 'gateway',
        method: 'PATCH',
        target: `/v1/nodes/${uuidOf(1)}`,
        body: [{ op: 'add', path: '/extra/mine', value: 1 }],
        context: { resources },
      },
      {
        from: 'gateway',
        target: `/v1/ports/${uuidOf(11)}`,
        context: { resources: [port, ...resources] },
      },
      { from: 'conductor', target: `/internal/nodes/${uuidOf(1)}`, context: { resources } },
      {
        from: 'conductor',
        method: 'POST',
        target: `/internal/nodes/${uuidOf(1)}/reservation`,
        body: { holder: 'c-1' },
        context: { resources },
      },
    ];
    app.setNow(AT);
    for (const call of calls)
      expect([call.target, (await app.call(call)).status]).toEqual([call.target, 412]);
    expect(await storedNode(1)).toMatchObject({ extra: {}, reservation: null });
  });

  it('a list for an allocation of the lessee has no such node', async () => {
    const candidates = async (): Promise<unknown> =>
      (
        await app.call({
          from: 'allocation',
          method: 'POST',
          target: '/internal/candidates',
          body: { filter: seesOwn(LESSEE).filter },
        })
      ).body;
    await app.call({
      from: 'cli',
      method: 'POST',
      target: '/internal/import',
      body: {
        nodes: [
          {
            uuid: uuidOf(1),
            driver: 'fake-hardware',
            owner: OWNER,
            lessee: LESSEE,
            provision_state: 'available',
            power_state: 'power off',
          },
        ],
      },
    });
    app.setNow(BEFORE);
    expect(await candidates()).toMatchObject({ nodes: [{ uuid: uuidOf(1) }] });
    app.setNow(AT);
    expect(await candidates()).toEqual({ nodes: [] });
  });

  it('whoever writes the node next writes the end, with the revision that was returned', async () => {
    app.setNow(AT);
    await app.onNode(uuidOf(1), {
      method: 'PATCH',
      body: [{ op: 'add', path: '/extra/mine', value: 1 }],
      context: { resources: [{ type: 'node', uuid: uuidOf(1), tenancy_revision: 3 }] },
    });
    expect(await storedNode(1)).toMatchObject({
      lessee: null,
      lessee_until: null,
      tenancy_revision: 3,
      extra: { mine: 1 },
    });
    expect(await tenancyOf(1)).toMatchObject({ lessee: null, tenancy_revision: 3 });
  });

  it('the lease itself says that it is ending, and is no more among the active ones', async () => {
    app.setNow(AT);
    const rows = async (query: string): Promise<unknown> =>
      (
        await app.call({
          from: 'gateway',
          target: `/v1/leases${query}`,
          context: { obligations: seesAll },
        })
      ).body;
    expect(await rows('')).toMatchObject({ leases: [{ status: 'ending' }] });
    expect(await rows('?status=active')).toEqual({ leases: [] });
  });

  it('the lease can be neither extended nor ended', async () => {
    const lease = await leaseIn(1);
    app.setNow(AT);
    const later = [{ op: 'replace', path: '/end_time', value: '2026-11-22T00:00:00Z' }];
    expect((await change(lease, later)).status).toBe(409);
    expect((await end(lease)).status).toBe(409);
  });
});

describe('a change of a lease', () => {
  const moved = (value: string) => [{ op: 'replace', path: '/end_time', value }];

  it('extends it: the first end passes, and the second does not', async () => {
    await lend({ end_time: END });
    const answer = await change(await leaseIn(1), moved('2026-11-21T10:00:00Z'));
    expect([answer.status, answer.body]).toMatchObject([
      200,
      { end_time: '2026-11-21T10:00:00+00:00', status: 'active' },
    ]);
    app.setNow('2026-11-21T09:59:59.999Z');
    expect(await tenancyOf(1)).toMatchObject({ lessee: LESSEE, tenancy_revision: 2 });
    app.setNow('2026-11-21T10:00:00.000Z');
    expect(await tenancyOf(1)).toMatchObject({ lessee: null, tenancy_revision: 3 });
  });

  it('shortens it', async () => {
    await lend({ end_time: END });
    expect((await change(await leaseIn(1), moved('2026-11-21T08:00:01Z'))).status).toBe(200);
    app.setNow('2026-11-21T08:00:01.000Z');
    expect(await tenancyOf(1)).toMatchObject({ lessee: null });
  });

  it.each([
    [moved('2026-11-21T07:00:00Z'), 400],
    [[{ op: 'remove', path: '/end_time' }], 400],
    [[{ op: 'replace', path: '/lessee', value: 'p-x' }], 400],
    [[{ op: 'replace', path: '/node_uuid', value: uuidOf(2) }], 400],
    [[{ op: 'replace', path: '/status', value: 'ended' }], 400],
    [[{ op: 'replace', path: '/start_time', value: '2026-11-21T08:30:00Z' }], 409],
    [[{ op: 'replace', path: '/on_end', value: { undeploy: false, clean: true } }], 400],
    [[{ op: 'replace', path: '/on_end', value: { undeploy: false } }], 200],
  ])('%j of one that lasts: %d', async (patch, status) => {
    await lend({ end_time: END });
    expect((await change(await leaseIn(1), patch)).status).toBe(status);
  });
});

describe('a lease that is to come', () => {
  const later = { start_time: '2026-11-21T08:30:00Z', end_time: END };

  it('holds the node, which has no tenant until it begins', async () => {
    expect((await lend(later)).body).toMatchObject({ status: 'pending', started_at: null });
    expect((await lend({ end_time: '2026-11-21T08:10:00Z' })).status).toBe(409);
    expect(await round()).toEqual({ begun: 0 });
    expect(await tenancyOf(1)).toMatchObject({ lessee: null, tenancy_revision: 1 });
    app.setNow('2026-11-21T08:30:00.000Z');
    expect(await round()).toEqual({ begun: 1 });
    expect(await round()).toEqual({ begun: 0 });
    expect(await tenancyOf(1)).toMatchObject({ lessee: LESSEE, tenancy_revision: 2 });
    expect(await app.stores.leases.findBy('uuid', await leaseIn(1))).toMatchObject({
      status: 'active',
      started_at: '2026-11-21T08:30:00+00:00',
    });
  });

  it('waits for the lock, and is cancelled when its end comes first', async () => {
    await lend(later);
    const node = await storedNode(1);
    await app.stores.nodes.swap({ ...node, reservation: 'c-1', revision: 9 }, node.revision);
    app.setNow('2026-11-21T08:30:00.000Z');
    expect(await round()).toEqual({ begun: 0 });
    app.setNow(AT);
    const lease = await leaseIn(1);
    await round();
    expect(await app.stores.leases.findBy('uuid', lease)).toMatchObject({
      status: 'cancelled',
      reason: 'It could not begin before its end had come.',
    });
    expect(await storedNode(1)).toMatchObject({ lease_uuid: null, lessee: null });
  });

  it('is cancelled by its end, and releases the node', async () => {
    await lend(later);
    expect((await end(await leaseIn(1))).status).toBe(204);
    expect((await lend({ end_time: END })).status).toBe(201);
  });
});

describe('the end of a lease by its owner', () => {
  it('takes the node at once, and another lease waits until it is cleared', async () => {
    await lend({ end_time: END });
    const lease = await leaseIn(1);
    expect((await end(lease)).status).toBe(202);
    expect(await tenancyOf(1)).toMatchObject({ lessee: null, tenancy_revision: 3 });
    const refused = await lend({ end_time: END });
    expect([refused.status, faultOf(refused)]).toEqual([
      409,
      `Node ${uuidOf(1)} has a lease already, or is still being cleared after one: ${lease}.`,
    ]);
    expect((await report(lease, { status: 'ended' })).status).toBe(409);
    await handOver(1);
    expect((await report(lease, { status: 'ended' })).status).toBe(200);
    expect((await lend({ end_time: END })).status).toBe(201);
  });
});

describe('the owner’s other ways', () => {
  it('are closed while the node is leased: lessee and owner stay', async () => {
    await lend({ end_time: END });
    for (const [path, value] of [
      ['/lessee', 'p-x'],
      ['/lessee', null],
      ['/owner', 'p-x'],
    ]) {
      const answer = await app.onNode(uuidOf(1), {
        method: 'PATCH',
        body: [{ op: 'replace', path, value }],
        context: { resources: [{ type: 'node', uuid: uuidOf(1), tenancy_revision: 2 }] },
      });
      expect([path, answer.status]).toEqual([path, 409]);
    }
  });

  it('do not lead to a lease beside a lessee set by hand', async () => {
    await addNode(2, { owner: OWNER, lessee: 'p-x' });
    expect((await lend({ node_uuid: uuidOf(2), end_time: END })).status).toBe(409);
    expect(
      await app.stores.leases.list({
        anyOf: null,
        where: [],
        order: { field: null, descending: false },
        after: null,
        limit: 9,
      }),
    ).toEqual([]);
  });

  it('a document that is imported again does not make the lease last longer', async () => {
    await lend({ end_time: END });
    const nodes = [{ uuid: uuidOf(1), driver: 'fake-hardware', owner: OWNER, lessee: LESSEE }];
    await app.call({ from: 'cli', method: 'POST', target: '/internal/import', body: { nodes } });
    expect(await tenancyOf(1)).toMatchObject({ lessee: LESSEE });
    app.setNow(AT);
    expect(await tenancyOf(1)).toMatchObject({ lessee: null });
  });

  it('the removal of the node takes its leases with it', async () => {
    await lend({ end_time: END });
    const lease = await leaseIn(1);
    const released = await app.onNode(uuidOf(1), {
      method: 'DELETE',
      context: {
        resources: [{ type: 'node', uuid: uuidOf(1), tenancy_revision: 2 }],
        obligations: NOTHING,
      },
    });
    expect(released.status).toBe(204);
    expect(await app.stores.leases.findBy('uuid', lease)).toBeUndefined();
  });
});

describe('what a conductor says of a lease', () => {
  it('is refused while it lasts', async () => {
    await lend({ end_time: END });
    const lease = await leaseIn(1);
    expect((await report(lease, { status: 'ended' })).status).toBe(409);
    expect(await tenancyOf(1)).toMatchObject({ lessee: LESSEE });
  });

  it('is recorded until the node is given back', async () => {
    await lend({ end_time: END });
    const lease = await leaseIn(1);
    app.setNow('2026-11-21T09:00:05.000Z');
    const over = await app.call({ from: 'conductor', target: '/internal/nodes?lease=over' });
    expect(over.body).toMatchObject({
      nodes: [{ uuid: uuidOf(1), lease_uuid: lease, lessee: null }],
    });
    expect((await report(lease, { status: 'ending' })).body).toMatchObject({
      status: 'ending',
      ended_at: END,
      phase: null,
    });
    expect((await report(lease, { status: 'ended' })).status).toBe(409);
    await reportHandover(1, { status: 'failed', reason: 'No.', phase: 'cleared' });
    expect(await app.stores.leases.findBy('uuid', lease)).toMatchObject({
      status: 'error',
      reason: 'No.',
    });
    await handOver(1);
    expect(await app.stores.leases.findBy('uuid', lease)).toMatchObject({
      status: 'ended',
      reason: null,
    });
    expect((await report(lease, { status: 'ended' })).status).toBe(200);
    expect(await storedNode(1)).toMatchObject({
      lease_uuid: null,
      lease_end: null,
      lessee_until: null,
      lessee: null,
      tenancy_revision: 3,
    });
    const again = await app.call({ from: 'conductor', target: '/internal/nodes?lease=over' });
    expect(again.body).toEqual({ nodes: [], more: false });
  });

  it('does not take the lessee of a lease while that lasts', async () => {
    await lend({ end_time: END });
    const target = `/internal/nodes/${uuidOf(1)}`;
    const taken = await app.call({
      from: 'conductor',
      method: 'POST',
      target: `${target}/reservation`,
      body: { holder: 'c-1', set: { lessee: null } },
    });
    const { fence } = taken.body as { readonly fence: number };
    await app.call({
      from: 'conductor',
      method: 'PATCH',
      target,
      body: { holder: 'c-1', fence, set: { lessee: null }, release: true },
    });
    expect(await tenancyOf(1)).toMatchObject({ lessee: LESSEE });
  });
});
