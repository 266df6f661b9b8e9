import { describe, expect, it } from '@jest/globals';
import { AppError, type CallContext, UnavailableError } from '@tenure/contracts';
import { type ServiceCall, type ServiceClient } from '@tenure/http';
import { allocationStoreHttp } from './allocation-store-http.js';
import { nodePoolHttp } from './node-pool-http.js';

const UUID = '11111111-1111-4111-8111-111111111111';
const NODE = '22222222-2222-4222-8222-222222222222';
const RECORD = {
  uuid: UUID,
  name: null,
  owner: 'p-1',
  resource_class: 'baremetal',
  traits: [],
  candidate_nodes: [],
  extra: {},
  state: 'allocating',
  node_uuid: null,
  last_error: null,
  created_at: '2026-11-21T07:11:13+00:00',
  updated_at: null,
  candidate_filter: { mode: 'all', predicates: [] },
  revision: 3,
};
const ON: CallContext = {
  request_id: 'req-1',
  subject: null,
  action: 'baremetal:allocation:create',
  decision_id: null,
  api_version: '1.65',
  public_base: 'http://api.example',
  resources: [{ type: 'allocation', uuid: UUID, tenancy_revision: 4 }],
  obligations: {
    filter: { mode: 'any_of', predicates: [{ field: 'owner', op: 'eq', value: 'p-1' }] },
    fields: { masked: ['reservation'], read_only: [] },
    set: { owner: 'p-1' },
    conditions: [{ field: 'provision_state', op: 'ne', value: 'active', action: 'a' }],
  },
};

function answering(answer: unknown): {
  readonly client: ServiceClient;
  readonly calls: ServiceCall[];
} {
  const calls: ServiceCall[] = [];
  const call = (one: ServiceCall): Promise<unknown> => {
    calls.push(one);
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  return { client: { call, close: () => Promise.resolve() }, calls };
}

describe('the inventory over HTTP', () => {
  it('receives the caller’s context with all that was demanded of the request', async () => {
    const { client, calls } = answering(RECORD);
    await allocationStoreHttp(client).find(UUID, ON);
    expect(calls).toEqual([
      {
        method: 'GET',
        target: `/internal/allocations/${UUID}`,
        context: {
          decision_id: null,
          request_id: 'req-1',
          subject: null,
          action: 'baremetal:allocation:create',
          api_version: '1.65',
          public_base: 'http://api.example',
          resources: [{ type: 'allocation', uuid: UUID, tenancy_revision: 4 }],
          obligations: {
            filter: { mode: 'any_of', predicates: [{ field: 'owner', op: 'eq', value: 'p-1' }] },
            fields: { masked: ['reservation'], read_only: [] },
            set: { owner: 'p-1' },
            conditions: [{ field: 'provision_state', op: 'ne', value: 'active', action: 'a' }],
          },
        },
      },
    ]);
  });

  it('escapes path segments', async () => {
    const { client, calls } = answering(RECORD);
    await allocationStoreHttp(client).find('a/../b?c', ON);
    expect(calls[0]?.target).toBe('/internal/allocations/a%2F..%2Fb%3Fc');
  });

  it('is queried for one row more than a page, which shows whether there are more', async () => {
    const { client, calls } = answering({ allocations: [RECORD, RECORD, RECORD] });
    const query = { state: 'allocating', limit: 2, sort_key: 'uuid', sort_dir: 'asc' } as const;
    const page = await allocationStoreHttp(client).list(query, ON);
    expect(calls[0]?.target).toBe(
      '/internal/allocations?state=allocating&sort_key=uuid&sort_dir=asc&limit=3',
    );
    expect([page.allocations.length, page.more]).toEqual([2, true]);
  });

  it('gives the last page when no more rows come', async () => {
    const { client } = answering({ allocations: [RECORD, RECORD] });
    const page = await allocationStoreHttp(client).list(
      { limit: 2, sort_key: 'uuid', sort_dir: 'asc' },
      ON,
    );
    expect([page.allocations.length, page.more]).toEqual([2, false]);
  });

  it.each([
    [1000, false],
    [1001, true],
  ])('knows whether there are more than 1,000 when %i rows come', async (rows, more) => {
    const { client, calls } = answering({
      allocations: Array.from({ length: rows }, () => RECORD),
    });
    const page = await allocationStoreHttp(client).list({ limit: 1000, sort_dir: 'asc' }, ON);
    expect(calls[0]?.target).toBe('/internal/allocations?sort_dir=asc&limit=1001');
    expect([page.allocations.length, page.more]).toEqual([1000, more]);
  });

  it('removes an allocation, and takes an answer with a body for none', async () => {
    const { client, calls } = answering(undefined);
    await expect(allocationStoreHttp(client).remove(UUID, ON)).resolves.toBeUndefined();
    expect(calls).toEqual([
      { method: 'DELETE', target: `/internal/allocations/${UUID}`, context: ON },
    ]);
    await expect(
      allocationStoreHttp(answering(RECORD).client).remove(UUID, ON),
    ).rejects.toBeInstanceOf(UnavailableError);
  });

  it('writes over the revision that was seen', async () => {
    const { client, calls } = answering(RECORD);
    await allocationStoreHttp(client).update(UUID, { expectedRevision: 3, set: { name: 'x' } }, ON);
    expect(calls[0]).toMatchObject({
      method: 'PATCH',
      body: { expected_revision: 3, set: { name: 'x' } },
    });
  });

  it('claims a node', async () => {
    const { client, calls } = answering({
      allocation: { ...RECORD, state: 'active', node_uuid: NODE },
      node_uuid: NODE,
    });
    expect(await nodePoolHttp(client).claim(UUID, NODE, ON)).toMatchObject({
      state: 'active',
      node_uuid: NODE,
    });
    expect(calls[0]).toMatchObject({
      method: 'POST',
      target: `/internal/allocations/${UUID}/claim`,
      body: { node_uuid: NODE },
    });
  });

  it('claims a node that is in use', async () => {
    const { client, calls } = answering({
      allocation: { ...RECORD, state: 'active', node_uuid: NODE },
      node_uuid: NODE,
    });
    expect(await nodePoolHttp(client).backfill(UUID, NODE, ON)).toMatchObject({ node_uuid: NODE });
    expect(calls[0]).toMatchObject({
      method: 'POST',
      target: `/internal/allocations/${UUID}/claim`,
      body: { node_uuid: NODE, backfill: true },
    });
  });

  it('keeps its refusals as they are', async () => {
    const { client } = answering(new AppError('node_taken', 409, 'taken'));
    await expect(nodePoolHttp(client).claim(UUID, NODE, ON)).rejects.toMatchObject({
      code: 'node_taken',
      status: 409,
    });
  });

  it.each([undefined, null, [], {}, { ...RECORD, state: 'odd' }, { ...RECORD, revision: '3' }])(
    'counts an odd answer as none (%#)',
    async (answer) => {
      await expect(
        allocationStoreHttp(answering(answer).client).find(UUID, ON),
      ).rejects.toBeInstanceOf(UnavailableError);
      await expect(
        nodePoolHttp(answering(answer).client).claim(UUID, NODE, ON),
      ).rejects.toBeInstanceOf(UnavailableError);
    },
  );
});
