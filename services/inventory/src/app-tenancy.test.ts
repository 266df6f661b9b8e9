import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { uuidOf } from './testing/fixtures.js';
import { macOf, resourceCalls } from './testing/resource-calls.js';
import { startTestApp, type TestApp } from './testing/test-app.js';

let app: TestApp;
const { add, addNode } = resourceCalls(() => app);

const tenancy = (below: string) =>
  app.call({ from: 'gateway', target: `/internal/tenancy/${below}` });

beforeEach(async () => {
  app = await startTestApp();
  await addNode(1, { owner: 'p-a', lessee: 'p-b' });
});
afterEach(() => app.close());

describe('the tenancy of what hangs on a node', () => {
  const ofNode = { owner: 'p-a', lessee: 'p-b', tenancy_revision: 1, node_uuid: uuidOf(1) };

  it.each(['ports', 'portgroups', 'volume_connectors', 'volume_targets'] as const)(
    'is the node’s: %s',
    async (section) => {
      await add(section, 11, { node_uuid: uuidOf(1), address: macOf(11) });
      const { status, body } = await tenancy(`${section}/${uuidOf(11).toUpperCase()}`);
      expect([status, body]).toEqual([200, { uuid: uuidOf(11), ...ofNode }]);
      const missing = await tenancy(`${section}/${uuidOf(77)}`);
      expect([missing.status, missing.body]).toMatchObject([404, { code: 'not_found' }]);
    },
  );

  it('is found by name, where there are names', async () => {
    await add('ports', 11, { node_uuid: uuidOf(1), address: macOf(11), name: 'eth0' });
    await add('portgroups', 21, { node_uuid: uuidOf(1), name: 'bond0' });
    expect((await tenancy('ports/eth0')).body).toEqual({ uuid: uuidOf(11), ...ofNode });
    expect((await tenancy('portgroups/bond0')).body).toEqual({ uuid: uuidOf(21), ...ofNode });
    expect((await tenancy('volume_targets/eth0')).status).toBe(404);
  });

  it('has no tenancy when the node was removed', async () => {
    await add('ports', 11, { node_uuid: uuidOf(99), address: macOf(11) });
    expect((await tenancy(`ports/${uuidOf(11)}`)).body).toEqual({
      uuid: uuidOf(11),
      owner: null,
      lessee: null,
      tenancy_revision: 0,
      node_uuid: uuidOf(99),
    });
  });

  it('is for the gateway only', async () => {
    const target = `/internal/tenancy/ports/${uuidOf(11)}`;
    expect((await app.call({ from: 'conductor', target })).status).toBe(403);
  });
});

describe('the tenancy of the allocation that holds a node', () => {
  it('is the allocation’s own', async () => {
    const answer = await app.call({
      from: 'cli',
      method: 'POST',
      target: '/internal/import',
      body: {
        nodes: [{ uuid: uuidOf(2), name: 'n2', driver: 'fake-hardware' }],
        allocations: [
          { uuid: uuidOf(8), name: 'a', owner: 'p-c', node_uuid: uuidOf(2), state: 'active' },
        ],
      },
    });
    expect(answer.status).toBe(200);
    expect((await tenancy('nodes/n2/allocation')).body).toEqual({
      uuid: uuidOf(8),
      name: 'a',
      owner: 'p-c',
      tenancy_revision: 1,
    });
  });

  it('is missing when none holds it, and when there is no such node', async () => {
    expect((await tenancy('nodes/n1/allocation')).status).toBe(404);
    expect((await tenancy('nodes/n7/allocation')).status).toBe(404);
  });
});
