import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeNode, uuidOf } from './testing/fixtures.js';
import { startTestApp, type TestApp } from './testing/test-app.js';

let app: TestApp;
beforeEach(async () => {
  app = await startTestApp();
});
afterEach(() => app.close());

const beat = (hostname: string) =>
  app.call({
    from: 'conductor',
    method: 'PUT',
    target: `/internal/conductors/${hostname}`,
    body: { drivers: ['fake-hardware'], advertised_url: 'http://10.0.0.7:8183' },
  });

const deregister = (hostname: string) =>
  app.call({ from: 'conductor', method: 'DELETE', target: `/internal/conductors/${hostname}` });

async function visible(): Promise<unknown> {
  const { body } = await app.call({ from: 'gateway', target: '/v1/conductors' });
  return (body as { conductors: { hostname: string; alive: boolean }[] }).conductors.map(
    ({ hostname, alive }) => [hostname, alive],
  );
}

/** The clock starts at eight; records are kept for an hour. */
function at(hour: number, minute: number): void {
  app.setNow(new Date(Date.UTC(2026, 10, 21, hour, minute)).toISOString());
}

describe('the record of a conductor', () => {
  it('is not alive as soon as the conductor deregistered, and alive when it registers again', async () => {
    await beat('c1');
    await deregister('c1');
    expect(await visible()).toEqual([['c1', false]]);
    await beat('c1');
    expect(await visible()).toEqual([['c1', true]]);
  });

  it('does not show users the conductor’s URL', async () => {
    await beat('c1');
    const { body } = await app.call({ from: 'gateway', target: '/v1/conductors/c1' });
    expect(JSON.stringify(body)).not.toContain('10.0.0.7');
  });

  it('goes when nothing was heard for as long as records are kept', async () => {
    await beat('old');
    at(9, 0);
    await beat('new');
    expect(await visible()).toEqual([
      ['old', false],
      ['new', true],
    ]);
    at(9, 1);
    await beat('new');
    expect(await visible()).toEqual([['new', true]]);
  });

  it('stays while the conductor still holds a lock, which is taken over only from a registered one', async () => {
    await app.stores.nodes.insert((epoch) =>
      makeNode({ uuid: uuidOf(1), name: 'n1', reservation: 'old' }, epoch),
    );
    await beat('old');
    at(12, 0);
    await beat('new');
    expect(await visible()).toEqual([
      ['old', false],
      ['new', true],
    ]);
    const target = `/internal/nodes/${uuidOf(1)}/reservation/takeover`;
    const body = { holder: 'new', from: 'old', fence: 1 };
    const taken = await app.call({ from: 'conductor', method: 'POST', target, body });
    expect(taken.status).toBe(200);
    await beat('new');
    expect(await visible()).toEqual([['new', true]]);
  });

  it.each(['gateway', 'allocation'] as const)('is not the business of the %s', async (from) => {
    await beat('c1');
    const target = '/internal/conductors/c1';
    expect((await app.call({ from, method: 'DELETE', target })).status).toBe(403);
    expect(await visible()).toEqual([['c1', true]]);
  });
});
