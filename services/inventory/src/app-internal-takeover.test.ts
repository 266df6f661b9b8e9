import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeNode, uuidOf } from './testing/fixtures.js';
import { startTestApp, type TestApp } from './testing/test-app.js';

let app: TestApp;
beforeEach(async () => {
  app = await startTestApp();
});
afterEach(() => app.close());

const add = (number: number, values: Readonly<Record<string, unknown>> = {}) =>
  app.stores.nodes.insert((epoch) =>
    makeNode({ uuid: uuidOf(number), name: `n${String(number)}`, ...values }, epoch),
  );

async function beat(hostname: string, body: unknown = { drivers: ['fake-hardware'] }) {
  const target = `/internal/conductors/${hostname}`;
  expect((await app.call({ from: 'conductor', method: 'PUT', target, body })).status).toBe(204);
}

async function deregister(hostname: string) {
  const target = `/internal/conductors/${hostname}`;
  expect((await app.call({ from: 'conductor', method: 'DELETE', target })).status).toBe(204);
}

const post = (below: string, body: unknown) =>
  app.call({
    from: 'conductor',
    method: 'POST',
    target: `/internal/nodes/${uuidOf(1)}/reservation${below}`,
    body,
  });

const takeOver = (body: unknown = { holder: 'c2', from: 'c1', fence: 2 }) =>
  post('/takeover', body);

/** A node that `c1` reserved, with fence 2, before it fell silent. The clock starts at eight. */
async function leftBy(): Promise<void> {
  await add(1);
  await beat('c1');
  expect((await post('', { holder: 'c1' })).body).toMatchObject({ fence: 2 });
}

function lateBy(seconds: number): void {
  app.setNow(new Date(Date.UTC(2026, 10, 21, 8, 0, seconds)).toISOString());
}

const REFUSED = { status: 409, body: { code: 'node_locked' } };

describe('the lock of a conductor', () => {
  it('is taken over once the conductor has been silent for more than a minute', async () => {
    await leftBy();
    lateBy(61);
    expect(await takeOver()).toMatchObject({
      status: 200,
      body: { fence: 3, node: { uuid: uuidOf(1), reservation: 'c2', fence: 3, revision: 3 } },
    });
  });

  it.each([
    [20, 409],
    [21, 200],
  ])('whose heartbeats are good for 20 seconds, after %d: %d', async (seconds, status) => {
    await leftBy();
    await beat('c1', { drivers: ['fake-hardware'], timeout_seconds: 20 });
    lateBy(seconds);
    expect((await takeOver()).status).toBe(status);
  });

  it('stays with a conductor whose last heartbeat is a minute old', async () => {
    await leftBy();
    lateBy(60);
    expect(await takeOver()).toMatchObject(REFUSED);
  });

  it('stays with one that came back', async () => {
    await leftBy();
    lateBy(61);
    await beat('c1');
    expect(await takeOver()).toMatchObject(REFUSED);
    expect(await app.stores.nodes.findBy('uuid', uuidOf(1))).toMatchObject({
      reservation: 'c1',
      fence: 2,
      revision: 2,
    });
  });

  it.each([
    ['another lock of the same conductor', { holder: 'c2', from: 'c1', fence: 1 }],
    ["another conductor's", { holder: 'c2', from: 'c3', fence: 2 }],
  ])('is not taken over as %s', async (_what, body) => {
    await leftBy();
    await beat('c3');
    lateBy(61);
    expect(await takeOver(body)).toMatchObject(REFUSED);
  });

  it('is not taken over from a name that never reported: nobody knows that it is dead', async () => {
    await add(1, { reservation: 'elsewhere' });
    expect(await takeOver({ holder: 'c2', from: 'elsewhere', fence: 1 })).toMatchObject(REFUSED);
  });

  it('that was released is not taken over', async () => {
    await add(1);
    await beat('c1');
    lateBy(61);
    expect(await takeOver({ holder: 'c2', from: 'c1', fence: 1 })).toMatchObject(REFUSED);
  });

  it('goes to one of many that try at once', async () => {
    await leftBy();
    lateBy(61);
    const answers = await Promise.all(
      ['c2', 'c3', 'c4', 'c5'].map((holder) => takeOver({ holder, from: 'c1', fence: 2 })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  });

  it('stays with a conductor that deregistered, until its last heartbeat is too old', async () => {
    await leftBy();
    await deregister('c1');
    lateBy(60);
    expect(await takeOver()).toMatchObject(REFUSED);
    lateBy(61);
    expect(await takeOver()).toMatchObject({ status: 200, body: { fence: 3 } });
  });

  it('is judged by the clock of the store: one that is set back delays it, by no more than a minute', async () => {
    await leftBy();
    app.setNow('2026-11-21T07:00:00.000Z');
    await beat('c2');
    expect(await takeOver()).toMatchObject(REFUSED);
    app.setNow('2026-11-21T07:01:01.000Z');
    expect(await takeOver()).toMatchObject({ status: 200, body: { fence: 3 } });
  });

  it('stays with one that deregistered and registered again', async () => {
    await leftBy();
    await deregister('c1');
    await beat('c1');
    expect(await takeOver()).toMatchObject(REFUSED);
  });

  it('stays with one that took it after it had deregistered', async () => {
    await add(1);
    await beat('c1');
    await deregister('c1');
    lateBy(5);
    expect((await post('', { holder: 'c1' })).body).toMatchObject({ fence: 2 });
    expect(await takeOver()).toMatchObject(REFUSED);
    lateBy(61);
    expect(await takeOver()).toMatchObject({ status: 200 });
  });

  it('stays with one that reports, whatever an older record says of its deregistration', async () => {
    await leftBy();
    await deregister('c1');
    lateBy(5);
    await app.stores.conductors.merge(
      [{ uuid: 'c1', hostname: 'c1', drivers: [], conductor_group: '', seen_at: 0, revision: 0 }],
      (existing, incoming) => ({
        ...(existing ?? incoming),
        seen_at: Date.UTC(2026, 10, 21, 8, 0, 5),
        revision: (existing?.revision ?? 0) + 1,
      }),
    );
    expect(await takeOver()).toMatchObject(REFUSED);
  });

  it('is not taken over from a name that deregisters without ever having registered', async () => {
    await add(1, { reservation: 'elsewhere' });
    await deregister('elsewhere');
    expect(await takeOver({ holder: 'c2', from: 'elsewhere', fence: 1 })).toMatchObject(REFUSED);
  });

  it('is lost to the old conductor, if that writes late', async () => {
    await leftBy();
    lateBy(61);
    await takeOver();
    await beat('c1');
    const late = await app.call({
      from: 'conductor',
      method: 'PATCH',
      target: `/internal/nodes/${uuidOf(1)}`,
      body: { holder: 'c1', fence: 2, set: { power_state: 'power on' }, release: true },
    });
    expect(late).toMatchObject({ status: 409, body: { code: 'lock_lost' } });
    expect(await app.stores.nodes.findBy('uuid', uuidOf(1))).toMatchObject({
      reservation: 'c2',
      power_state: null,
    });
  });

  it('is requested with a fence, and of a node that exists', async () => {
    expect((await takeOver({ holder: 'c2', from: 'c1' })).status).toBe(400);
    expect((await takeOver()).status).toBe(404);
  });
});

describe('conductors learn', () => {
  const ask = (target: string) => app.call({ from: 'conductor', target });

  it('who is alive, and what each runs', async () => {
    await beat('c2', { drivers: ['redfish'], conductor_group: 'rack' });
    await beat('c1');
    expect((await ask('/internal/conductors')).body).toEqual({
      conductors: [
        { hostname: 'c1', drivers: ['fake-hardware'], conductor_group: '' },
        { hostname: 'c2', drivers: ['redfish'], conductor_group: 'rack' },
      ],
    });
    lateBy(61);
    await beat('c2', { drivers: [] });
    expect((await ask('/internal/conductors')).body).toEqual({
      conductors: [{ hostname: 'c2', drivers: [], conductor_group: '' }],
    });
  });

  it('where each is reached, when it says so', async () => {
    await beat('c1', { drivers: ['redfish'], advertised_url: 'http://10.0.0.7:8183' });
    expect((await ask('/internal/conductors')).body).toMatchObject({
      conductors: [{ hostname: 'c1', advertised_url: 'http://10.0.0.7:8183' }],
    });
  });

  it.each([
    'ftp://c1',
    'http://user:secret@c1',
    'http://c1/path',
    'http://c1?query',
    'http://c1:8183#x',
    '//c1',
    'c1:8183',
  ])('nothing of an address that is none: %s', async (url) => {
    const target = '/internal/conductors/c1';
    const body = { drivers: [], advertised_url: url };
    expect((await app.call({ from: 'conductor', method: 'PUT', target, body })).status).toBe(400);
  });

  it('at once that one deregistered', async () => {
    await beat('c1');
    await beat('c2');
    await deregister('c1');
    expect((await ask('/internal/conductors')).body).toMatchObject({
      conductors: [{ hostname: 'c2' }],
    });
  });

  it('which nodes are locked by those that expired', async () => {
    await add(1, { reservation: 'expired' });
    await add(2, { reservation: 'here' });
    await add(3, { reservation: 'elsewhere' });
    await add(4);
    await add(5, { reservation: 'expired' });
    const uuids = async (query = '') => {
      const { body } = await ask(`/internal/nodes?departed=true${query}`);
      return (body as { nodes: { uuid: string }[] }).nodes.map(({ uuid }) => uuid);
    };
    await beat('expired');
    await beat('here');
    expect(await uuids()).toEqual([]);
    lateBy(61);
    await beat('here');
    expect(await uuids()).toEqual([uuidOf(1), uuidOf(5)]);
    expect(await uuids('&limit=1')).toEqual([uuidOf(1)]);
    expect(await uuids(`&marker=${uuidOf(1)}`)).toEqual([uuidOf(5)]);
    expect((await ask('/internal/nodes?departed=no')).status).toBe(400);
  });

  it.each(['gateway', 'allocation'] as const)('and the %s does not', async (from) => {
    expect((await app.call({ from, target: '/internal/conductors' })).status).toBe(403);
    const target = `/internal/nodes/${uuidOf(1)}/reservation/takeover`;
    expect((await app.call({ from, method: 'POST', target, body: {} })).status).toBe(403);
  });
});
