import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { faultOf } from '@tenure/testing';
import { makeNode, uuidOf } from './testing/fixtures.js';
import { startTestApp, type TestApp } from './testing/test-app.js';

let app: TestApp;
beforeEach(async () => {
  app = await startTestApp();
});
afterEach(() => app.close());

type Values = Readonly<Record<string, unknown>>;

const add = (values: Values = {}) =>
  app.stores.nodes.insert((epoch) => makeNode({ uuid: uuidOf(1), name: 'n1', ...values }, epoch));
const stored = () => app.stores.nodes.findBy('uuid', uuidOf(1));
const LATEST = '1.115';
const patch = (operations: readonly unknown[], api_version = LATEST) =>
  app.onNode(uuidOf(1), { method: 'PATCH', body: operations, context: { api_version } });
const replace = (path: string, value: unknown) => ({ op: 'replace', path, value });
const remove = (path: string) => ({ op: 'remove', path });
const create = (body: Values, api_version = LATEST) =>
  app.call({
    from: 'gateway',
    method: 'POST',
    target: '/v1/nodes',
    body: { driver: 'fake-hardware', ...body },
    context: { api_version },
  });

describe('the order in which a PATCH is refused', () => {
  it('what may not be patched at all goes before what is too new, and that before traits and values', async () => {
    await add({ reservation: 'c1' });
    const tooNew = replace('/shard', 'x');
    const traits = replace('/traits', []);
    const wrong = replace('/driver_info', 'no object');
    const never = replace('/uuid', uuidOf(2));
    expect((await patch([wrong, traits, tooNew, never], '1.81')).status).toBe(400);
    expect((await patch([wrong, traits, tooNew], '1.81')).status).toBe(406);
    const answer = await patch([wrong, traits, tooNew]);
    expect(answer.status).toBe(400);
    expect(faultOf(answer)).toContain('traits API');
    expect((await patch([wrong])).status).toBe(400);
    expect((await patch([replace('/extra', {})])).status).toBe(409);
  });
});

describe('removing a field', () => {
  it.each([
    ['automated_clean', true, null],
    ['chassis_uuid', null, null],
    ['conductor_group', 'rack1', ''],
    ['description', 'x', null],
    ['disable_power_off', true, false],
    ['driver_info', { a: 1 }, {}],
    ['extra', { a: 1 }, {}],
    ['instance_info', { a: 1 }, {}],
    ['instance_name', 'x', null],
    ['instance_uuid', uuidOf(7), null],
    ['lessee', 'p-a', null],
    ['maintenance', true, false],
    ['name', 'n1', null],
    ['network_data', { links: [] }, {}],
    ['owner', 'p-a', null],
    ['parent_node', null, null],
    ['power_interface', 'redfish', 'fake'],
    ['properties', { a: 1 }, {}],
    ['protected', true, false],
    ['protected_reason', 'x', null],
    ['resource_class', 'gold', null],
    ['retired', true, false],
    ['retired_reason', 'x', null],
    ['shard', 'x', null],
  ])('%s makes it what it is at first', async (field, before, after) => {
    await add({ protected: true, retired: true, [field]: before });
    const answer = await patch([remove(`/${field}`)]);
    expect(answer.status).toBe(200);
    expect(await stored()).toMatchObject({ [field]: after });
  });

  it('that a node cannot be without is refused', async () => {
    await add();
    expect((await patch([remove('/driver')])).status).toBe(400);
  });
});

describe('automated_clean', () => {
  it.each([true, false, null])('may be %s', async (value) => {
    await add({ automated_clean: true });
    const answer = await patch([replace('/automated_clean', value)]);
    expect(answer.body).toMatchObject({ automated_clean: value });
  });
});

describe('protection and retirement', () => {
  it.each([
    ['protected', 'active', 200],
    ['protected', 'rescue', 200],
    ['protected', 'available', 409],
    ['protected', 'enroll', 409],
    ['retired', 'active', 200],
    ['retired', 'manageable', 200],
    ['retired', 'available', 409],
  ])('%s may be set while the node is %s: %d', async (field, provision_state, status) => {
    await add({ provision_state });
    expect((await patch([replace(`/${field}`, true)])).status).toBe(status);
    expect(await stored()).toMatchObject({ [field]: status === 200 });
  });

  it.each(['protected', 'retired'])('%s may be unset in any state', async (field) => {
    await add({ provision_state: 'available', [field]: true, [`${field}_reason`]: 'x' });
    expect((await patch([replace(`/${field}`, false)])).body).toMatchObject({
      [field]: false,
      [`${field}_reason`]: null,
    });
  });

  it.each(['protected', 'retired'])('%s_reason explains something that is set', async (field) => {
    await add({ provision_state: 'active' });
    const reason = replace(`/${field}_reason`, 'because');
    expect((await patch([reason])).status).toBe(400);
    expect((await patch([reason, replace(`/${field}`, true)])).body).toMatchObject({
      [field]: true,
      [`${field}_reason`]: 'because',
    });
    expect((await create({ [`${field}_reason`]: 'because' })).status).toBe(400);
  });
});

describe('the name of the instance', () => {
  it('is kept in both places, whichever a client writes', async () => {
    await add({ instance_info: { image_source: 'x' } });
    const named = await patch([replace('/instance_name', 'web')]);
    expect(named.body).toMatchObject({
      instance_name: 'web',
      instance_info: { image_source: 'x', display_name: 'web' },
    });
    const display = { op: 'add', path: '/instance_info/display_name', value: 'db' };
    expect((await patch([display], '1.1')).status).toBe(200);
    expect(await stored()).toMatchObject({ instance_name: 'db' });
    expect((await patch([remove('/instance_name')])).body).toMatchObject({
      instance_name: null,
      instance_info: { image_source: 'x' },
    });
    expect((await stored())?.instance_info).toEqual({ image_source: 'x' });
  });

  it('goes with instance_info', async () => {
    await add({ instance_name: 'web', instance_info: { display_name: 'web' } });
    await patch([remove('/instance_info')]);
    expect(await stored()).toMatchObject({ instance_name: null, instance_info: {} });
  });

  it('that both give is the one of instance_name', async () => {
    await add();
    const both = [replace('/instance_info', { display_name: 'a' }), replace('/instance_name', 'b')];
    expect((await patch(both)).body).toMatchObject({
      instance_name: 'b',
      instance_info: { display_name: 'b' },
    });
    const made = await create({ instance_name: 'web' });
    expect(made.body).toMatchObject({ instance_info: { display_name: 'web' } });
  });
});

describe('network_data', () => {
  it.each([
    [{}, 200],
    [{ links: [{ id: 'l1', type: 'phy', x: 1 }], networks: [], services: [] }, 200],
    [{ networks: [{ id: 'n1', type: 'ipv4', link: 'l1' }] }, 200],
    [{ links: {} }, 400],
    [{ links: [{ id: 'l1' }] }, 400],
    [{ networks: [{ id: 'n1', type: 'ipv4' }] }, 400],
    [{ services: ['dns'] }, 400],
  ])('%j: %d', async (value, status) => {
    await add();
    expect((await patch([replace('/network_data', value)])).status).toBe(status);
    expect((await create({ network_data: value })).status).toBe(status === 200 ? 201 : status);
  });

  it('is judged as it is after the change', async () => {
    await add({ network_data: { links: [{ id: 'l1', type: 'phy' }] } });
    expect((await patch([remove('/network_data/links/0/type')])).status).toBe(400);
    expect((await patch([remove('/network_data/links/0')])).status).toBe(200);
  });
});

describe('a name', () => {
  it.each([
    ['a_b', '1.9', 400],
    ['a~b', '1.9', 400],
    ['-a', '1.9', 400],
    ['a..b', '1.9', 400],
    ['node-1.example.org', '1.9', 201],
    ['a_b~c', '1.10', 201],
    ['a b', '1.10', 400],
    ['a/b', '1.115', 400],
    [uuidOf(3), '1.115', 400],
    ['detail', '1.115', 400],
    ['a'.repeat(256), '1.115', 400],
    ['a', '1.4', 406],
  ])('%s at %s: %d', async (name, api_version, status) => {
    await add({ name: null });
    expect((await patch([replace('/name', name)], api_version)).status).toBe(
      status === 201 ? 200 : status,
    );
    await patch([remove('/name')]);
    expect((await create({ name }, api_version)).status).toBe(status);
  });
});

describe('the length of a text', () => {
  it.each([
    ['owner', 255],
    ['lessee', 255],
    ['shard', 255],
    ['instance_name', 255],
    ['resource_class', 80],
    ['description', 4096],
  ])('%s has at most %d characters', async (field, length) => {
    await add();
    expect((await patch([replace(`/${field}`, 'a'.repeat(length))])).status).toBe(200);
    expect((await patch([replace(`/${field}`, 'a'.repeat(length + 1))])).status).toBe(400);
  });
});
