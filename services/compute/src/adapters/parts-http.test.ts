import { describe, expect, it } from '@jest/globals';
import { AppError, type CallContext, NO_OBLIGATIONS, UnavailableError } from '@tenure/contracts';
import { type ServiceCall, type ServiceClient } from '@tenure/http';
import { type PlacedNode } from '../ports/machines.js';
import { server, UUID } from '../testing/servers.js';
import { allocationsHttp } from './allocations-http.js';
import { nodeVerbsHttp } from './node-verbs-http.js';
import { keypairStoreHttp } from './personal-stores-http.js';
import { serverStoreHttp } from './server-store-http.js';

const ON: CallContext = {
  request_id: 'req-1',
  subject: null,
  action: 'os_compute_api:servers:create',
  decision_id: null,
  api_version: '1.91',
  public_base: '',
  resources: [],
  obligations: NO_OBLIGATIONS,
};
const NODE: PlacedNode = {
  uuid: 'node-1',
  tenancy_revision: 4,
  provision_state: 'active',
  provision_updated_at: null,
  power_state: 'power on',
  target_power_state: null,
  maintenance: false,
  reserved: false,
  deploy_interface: null,
  last_error: null,
  vifs: [],
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

const refused = (status: number): AppError => new AppError('refused', status, 'no');

describe('a conductor', () => {
  it('gets the node, its tenancy revision and the newest microversion', async () => {
    const { client, calls } = answering(undefined);
    await nodeVerbsHttp(client).power(NODE, { target: 'power off' }, ON);
    expect(calls).toEqual([
      {
        method: 'PUT',
        target: '/v1/nodes/node-1/states/power',
        body: { target: 'power off' },
        context: {
          ...ON,
          resources: [{ type: 'node', uuid: 'node-1', tenancy_revision: 4 }],
        },
      },
    ]);
  });

  it('attaches VIFs of the project of the server only', async () => {
    const { client, calls } = answering(undefined);
    const verbs = nodeVerbsHttp(client);
    await verbs.attach(NODE, { id: 'vif-1', project: 'team' }, ON);
    expect(calls[0]?.context.obligations.filter).toEqual({
      mode: 'any_of',
      predicates: [{ field: 'project_id', op: 'eq', value: 'team' }],
    });
  });

  it('accepts the detaching of a VIF that is not attached any more', async () => {
    const missing = nodeVerbsHttp(answering(refused(400)).client);
    await expect(missing.detach(NODE, 'vif-1', ON)).resolves.toBeUndefined();
    const locked = nodeVerbsHttp(answering(refused(409)).client);
    await expect(locked.detach(NODE, 'vif-1', ON)).rejects.toMatchObject({ status: 409 });
  });
});

describe('the allocation service', () => {
  const filter = {
    mode: 'any_of' as const,
    predicates: [{ field: 'owner', op: 'eq' as const, value: 'team' }],
  };

  it('gets a request for a node under the server’s uuid, for its project, among the nodes that were decided on', async () => {
    const { client, calls } = answering({});
    const allocations = allocationsHttp(client);
    await allocations.request(server({ traits: ['CUSTOM_A'] }), filter, ON);
    expect(calls[0]).toMatchObject({
      method: 'POST',
      target: '/v1/allocations',
      body: { uuid: UUID, resource_class: 'gold', traits: ['CUSTOM_A'] },
      context: { obligations: { filter, set: { owner: 'team' } } },
    });
  });

  it('may have had the request before, and may have nothing to release', async () => {
    const again = allocationsHttp(answering(refused(409)).client);
    await expect(again.request(server(), filter, ON)).resolves.toBeUndefined();
    const missing = allocationsHttp(answering(refused(404)).client);
    const allocation = { state: 'active', tenancy_revision: 1 } as const;
    await expect(missing.release(UUID, allocation, ON)).resolves.toBeUndefined();
    const used = allocationsHttp(answering(refused(409)).client);
    await expect(used.release(UUID, allocation, ON)).rejects.toMatchObject({ status: 409 });
  });
});

describe('the inventory', () => {
  const record = { ...server({ node_uuid: null }), revision: 1, tenancy_revision: 1 };

  it('is queried for one server more than a page has', async () => {
    const { client, calls } = answering({ servers: [record, record] });
    const store = serverStoreHttp(client);
    expect(await store.list({ pending: 'true' }, 1, ON)).toEqual({ servers: [record], more: true });
    expect(calls[0]?.target).toBe('/internal/servers?pending=true&limit=2');
  });

  it('is unavailable when its answer is malformed', async () => {
    const store = serverStoreHttp(answering({ uuid: 'x' }).client);
    await expect(store.find(UUID, ON)).rejects.toThrow(UnavailableError);
    await expect(store.placement(UUID, ON)).rejects.toThrow(UnavailableError);
    const keypairs = keypairStoreHttp(answering([]).client);
    await expect(keypairs.find('ann', 'k', ON)).rejects.toThrow(UnavailableError);
  });
});
