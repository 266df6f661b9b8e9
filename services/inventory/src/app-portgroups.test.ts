import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { faultOf } from '@tenure/testing';
import { uuidOf } from './testing/fixtures.js';
import { macOf, replacing, resourceCalls } from './testing/resource-calls.js';
import { startTestApp, type TestApp } from './testing/test-app.js';

let app: TestApp;
const { add, addNode, create, on, stored } = resourceCalls(() => app);

const patch = (body: unknown, context = {}) =>
  on('portgroups', 21, { method: 'PATCH', body, context });

beforeEach(async () => {
  app = await startTestApp();
  await addNode(1, { owner: 'p-a', provision_state: 'manageable' });
  await addNode(2, { owner: 'p-a', provision_state: 'manageable' });
  await addNode(3, { owner: 'p-a', provision_state: 'available' });
  await add('portgroups', 21, { node_uuid: uuidOf(1), address: macOf(21), name: 'bond0' });
});
afterEach(() => app.close());

const join = (number: number, values: Readonly<Record<string, unknown>> = {}) =>
  add('ports', number, {
    node_uuid: uuidOf(1),
    address: macOf(number),
    portgroup_uuid: uuidOf(21),
    ...values,
  });

describe('one port group', () => {
  it('is returned whole, in the order of its members', async () => {
    const { body } = await on('portgroups', 21, { context: { api_version: '1.65' } });
    const links = (below: string) => [
      { href: `http://127.0.0.1:6385/v1/portgroups/${uuidOf(21)}${below}`, rel: 'self' },
      { href: `http://127.0.0.1:6385/portgroups/${uuidOf(21)}${below}`, rel: 'bookmark' },
    ];
    const expected = {
      uuid: uuidOf(21),
      created_at: '2026-11-21T07:10:57+00:00',
      updated_at: null,
      address: macOf(21),
      extra: {},
      internal_info: {},
      mode: 'active-backup',
      name: 'bond0',
      properties: {},
      standalone_ports_supported: true,
      node_uuid: uuidOf(1),
      links: links(''),
      ports: links('/ports'),
    };
    expect(body).toEqual(expected);
    expect(Object.keys(body as object)).toEqual(Object.keys(expected));
  });

  it('has neither mode nor ports at 1.23', async () => {
    const { body } = await on('portgroups', 21, { context: { api_version: '1.23' } });
    expect(body).not.toHaveProperty('mode');
    expect(body).not.toHaveProperty('ports');
  });
});

describe('a new port group', () => {
  it('needs a node and nothing else', async () => {
    const answer = await create('portgroups', 1, { node_uuid: uuidOf(1), uuid: uuidOf(22) });
    expect([answer.status, answer.body]).toEqual([
      201,
      expect.objectContaining({ address: null, name: null, mode: 'active-backup' }),
    ]);
    expect((await create('portgroups', 1, {})).status).toBe(400);
  });

  it.each([
    [{ address: macOf(21) }, `A portgroup with MAC address ${macOf(21)} already exists.`],
    [{ name: 'bond0' }, 'A portgroup with name bond0 already exists.'],
    [{ uuid: uuidOf(21) }, `A portgroup with UUID ${uuidOf(21)} already exists.`],
  ])('like another (%j) is 409', async (body, fault) => {
    const answer = await create('portgroups', 1, { node_uuid: uuidOf(1), ...body });
    expect([answer.status, faultOf(answer)]).toEqual([409, fault]);
  });

  it.each([{ mode: '' }, { mode: 7 }, { address: 'x' }, { name: 'a b' }, { ports: [] }])(
    'with %j is refused',
    async (field) => {
      const answer = await create('portgroups', 1, { node_uuid: uuidOf(1), ...field });
      expect(answer.status).toBe(400);
    },
  );

  it('has no mode before 1.26', async () => {
    const body = { node_uuid: uuidOf(1), mode: '802.3ad' };
    expect((await create('portgroups', 1, body, { api_version: '1.25' })).status).toBe(406);
  });
});

describe('a port group with ports', () => {
  it('is neither deleted nor moved', async () => {
    await join(11);
    const deleted = await on('portgroups', 21, { method: 'DELETE' });
    expect([deleted.status, faultOf(deleted)]).toEqual([
      400,
      `Cannot complete the requested action because portgroup ${uuidOf(21)} contains ports.`,
    ]);
    expect((await patch(replacing('/node_uuid', uuidOf(2)))).status).toBe(400);
    await app.stores.resources.ports.remove(uuidOf(11), 1, 1);
    expect((await patch(replacing('/node_uuid', uuidOf(2)))).status).toBe(200);
    expect((await on('portgroups', 21, { method: 'DELETE' })).status).toBe(204);
  });

  it('goes without standalone ports only when none boots from the network', async () => {
    await join(11);
    const body = replacing('/standalone_ports_supported', false);
    expect((await patch(body)).status).toBe(409);
    await app.stores.resources.ports.remove(uuidOf(11), 1, 1);
    await join(12, { pxe_enabled: false });
    expect((await patch(body)).status).toBe(200);
  });
});

it('a port group of a node that may be in use keeps its mode', async () => {
  await add('portgroups', 23, { node_uuid: uuidOf(3) });
  const body = replacing('/mode', '802.3ad');
  const answer = await on('portgroups', 23, { method: 'PATCH', body });
  expect(answer.status).toBe(409);
  expect((await patch(body)).status).toBe(200);
  expect(await stored('portgroups', 23)).toMatchObject({ mode: 'active-backup' });
});
