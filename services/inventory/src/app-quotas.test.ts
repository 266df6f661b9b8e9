import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type BudgetName } from './domain/budgets.js';
import { uuidOf } from './testing/fixtures.js';
import { startTestApp, type TestApp } from './testing/test-app.js';

let app: TestApp;
let refused: BudgetName[];
beforeEach(async () => {
  refused = [];
  app = await startTestApp({
    onRefused: (budget) => {
      refused.push(budget);
    },
  });
});
afterEach(() => app.close());

const get = (target: string) => app.call({ from: 'cli', target });
const set = (target: string, limits: unknown) =>
  app.call({ from: 'cli', method: 'PATCH', target, body: { limits } });
const createAllocation = (number: number, owner: string, extra = {}) =>
  app.call({
    from: 'allocation',
    method: 'POST',
    target: '/internal/allocations',
    body: {
      uuid: uuidOf(number),
      resource_class: 'baremetal',
      candidate_filter: { mode: 'all', predicates: [] },
      owner,
      extra,
    },
  });
const P_A = '/internal/quotas/projects/p-a';

describe('quotas', () => {
  it('refuse a write above them with the name of the budget: 403 for records, 413 for bytes', async () => {
    await set(P_A, { allocations: 1 });
    expect(await createAllocation(1, 'p-a')).toMatchObject({ status: 201 });
    expect(await createAllocation(2, 'p-a')).toMatchObject({
      status: 403,
      body: {
        code: 'quota_exceeded',
        detail: 'Quota exceeded for allocations: at most 1 may be stored.',
      },
    });
    await set(P_A, { allocations: null, bytes: 1000 });
    expect(await createAllocation(2, 'p-a', { text: 'x'.repeat(1000) })).toMatchObject({
      status: 413,
      body: { detail: 'Quota exceeded for bytes: at most 1000 bytes may be stored.' },
    });
    expect(await createAllocation(2, 'p-b', { text: 'x'.repeat(1000) })).toMatchObject({
      status: 201,
    });
    expect(refused).toEqual(['allocations', 'bytes']);
  });

  it('are returned with the usage and the source of each limit', async () => {
    await createAllocation(1, 'p-a');
    await set('/internal/quotas/default', { servers: 7 });
    const { body } = await set(P_A, { allocations: 5 });
    expect(body).toMatchObject({ account: 'project:p-a' });
    const { budgets } = body as { readonly budgets: readonly unknown[] };
    expect(budgets).toEqual(
      expect.arrayContaining([
        { name: 'allocations', unit: 'records', checked: true, used: 1, limit: 5, source: 'own' },
        { name: 'servers', unit: 'records', checked: true, used: 0, limit: 7, source: 'default' },
        {
          name: 'audit_bytes_per_day',
          unit: 'bytes',
          checked: false,
          used: 0,
          limit: null,
          source: 'built_in',
        },
      ]),
    );
    expect((await get(P_A)).body).toEqual(body);
  });

  it('are listed page by page for all accounts with stored records', async () => {
    await createAllocation(1, 'p-a');
    await createAllocation(2, 'p-b');
    const first = await get('/internal/quotas?limit=1');
    expect(first.body).toMatchObject({
      accounts: [{ account: 'project:p-a' }],
      next: 'project:p-a',
    });
    const second = await get('/internal/quotas?limit=1&marker=project:p-a');
    expect(second.body).toMatchObject({ accounts: [{ account: 'project:p-b' }], next: null });
    expect(await get('/internal/quotas?marker=project:p-z')).toMatchObject({ status: 400 });
  });

  it('of the decision log are returned to gateways, where operators set any', async () => {
    const auditQuotas = () => app.call({ from: 'gateway', target: '/internal/quotas/audit' });
    await set(P_A, { servers: 3 });
    expect(await auditQuotas()).toMatchObject({ status: 200, body: { limits: {} } });
    await set(P_A, { audit_bytes_per_day: 60_000 });
    await set('/internal/quotas/users/u-1', { audit_bytes_per_day: null });
    await set('/internal/quotas/default', { audit_bytes_per_day: 1_000_000 });
    expect((await auditQuotas()).body).toEqual({
      limits: { default: 1_000_000, 'project:p-a': 60_000, 'user:u-1': null },
    });
    expect(await get('/internal/quotas/audit')).toMatchObject({ status: 403 });
  });

  it.each([
    [{}],
    [{ machines: 1 }],
    [{ servers: -1 }],
    [{ servers: 1.5 }],
    [{ servers: 'many' }],
    [{ servers: 2 ** 53 }],
  ])('refuse invalid limits (%j)', async (limits) => {
    expect(await set(P_A, limits)).toMatchObject({ status: 400 });
  });

  it('are unchanged after export and import, which replaces them', async () => {
    await set(P_A, { allocations: 1, bytes: null });
    await set('/internal/quotas/default', { servers: 7 });
    const { body } = await get('/internal/export?section=quotas');
    const { rows } = body as { readonly rows: readonly unknown[] };
    expect(rows).toEqual([
      { uuid: 'project:p-a', limits: { allocations: 1, bytes: null } },
      { uuid: 'default', limits: { servers: 7 } },
    ]);
    await set(P_A, { allocations: 5 });
    const load = (quotas: readonly unknown[]) =>
      app.call({ from: 'cli', method: 'POST', target: '/internal/import', body: { quotas } });
    expect(await load(rows)).toMatchObject({ status: 200, body: { imported: { quotas: 2 } } });
    expect((await get('/internal/export?section=quotas')).body).toEqual(body);
    expect(await createAllocation(1, 'p-a')).toMatchObject({ status: 201 });
    expect(await createAllocation(2, 'p-a')).toMatchObject({ status: 403 });
    // Names of projects are case-sensitive.
    const names = ['project:P-A', 'project:p-a'].map((uuid) => ({ uuid, limits: {} }));
    expect(await load(names)).toMatchObject({ status: 200 });
    for (const row of [
      { uuid: 'p-a', limits: {} },
      { uuid: 'project:p-a', limits: { servers: -1 } },
      { uuid: 'project:p-a', limits: { machines: 1 } },
      { uuid: 'project:p-a' },
    ])
      expect(await load([row])).toMatchObject({ status: 400 });
  });

  it('are only for the operator’s tool', async () => {
    expect(await app.call({ from: 'gateway', target: P_A })).toMatchObject({ status: 403 });
  });
});
