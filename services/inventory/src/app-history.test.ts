import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type HistoryEntry } from './ports/stores.js';
import { makeNode, uuidOf } from './testing/fixtures.js';
import { startTestApp, type TestApp } from './testing/test-app.js';

let app: TestApp;

beforeEach(async () => {
  app = await startTestApp();
  await app.stores.nodes.insert((epoch) =>
    makeNode({ uuid: uuidOf(1), name: 'n1', provision_state: 'available', owner: 'p-a' }, epoch),
  );
});

afterEach(() => app.close());

const SUBJECT = {
  user_id: 'u-1',
  project_id: 'p-a',
  system_scope: null,
  domain_id: null,
  roles: ['member'],
};

const ask = (method: string, below: string, body: unknown, subject: typeof SUBJECT | null = null) =>
  app.call({
    from: 'conductor',
    method,
    target: `/internal/nodes/${uuidOf(1)}${below}`,
    body,
    context: { subject },
  });

async function reserve(set: object = {}): Promise<number> {
  const { body } = await ask('POST', '/reservation', { holder: 'c1', set });
  return (body as { readonly fence: number }).fence;
}

async function history(): Promise<readonly HistoryEntry[]> {
  const context = { api_version: '1.78' };
  const { body } = await app.onNode(uuidOf(1), { below: '/history?detail=true', context });
  return (body as { readonly history: readonly HistoryEntry[] }).history;
}

const readEvents = async () =>
  (await history()).map(({ severity, event, event_type: type }) => [severity, type, event]);

describe('the history of a node', () => {
  it('records each provision state that a conductor leads it into, by whom and for whom', async () => {
    const fence = await reserve();
    const lock = { holder: 'c1', fence };
    await ask('PATCH', '', { ...lock, set: { provision_state: 'deploying' } }, SUBJECT);
    await ask('PATCH', '', { ...lock, set: { extra: { a: 1 } } }, SUBJECT);
    await ask('PATCH', '', { ...lock, set: { provision_state: 'active' }, release: true });
    expect(await history()).toMatchObject([
      {
        severity: 'INFO',
        event: "The provision state went from 'available' to 'deploying'.",
        event_type: 'provisioning',
        conductor: 'c1',
        user: 'u-1',
      },
      {
        severity: 'INFO',
        event: "The provision state went from 'deploying' to 'active'.",
        event_type: 'provisioning',
        conductor: 'c1',
        user: null,
      },
    ]);
  });

  it('says in one entry that work failed, and where that led', async () => {
    const fence = await reserve({ provision_state: 'cleaning' });
    const set = {
      provision_state: 'clean failed',
      last_error: 'The disk is broken.',
      maintenance: true,
    };
    await ask('PATCH', '', { holder: 'c1', fence, set });
    expect((await readEvents())[1]).toEqual([
      'ERROR',
      'cleaning',
      "The disk is broken. The provision state went from 'cleaning' to 'clean failed'. Maintenance was set.",
    ]);
  });

  it('records changes of power, also the first one', async () => {
    const fence = await reserve({ power_state: 'power off' });
    await ask('PATCH', '', { holder: 'c1', fence, set: { power_state: 'power on' } });
    expect(await readEvents()).toEqual([
      ['INFO', 'power', "The power state went from unknown to 'power off'."],
      ['INFO', 'power', "The power state went from 'power off' to 'power on'."],
    ]);
  });

  it('does not record a write twice that is repeated because its answer was lost', async () => {
    const fence = await reserve();
    const change = {
      holder: 'c1',
      fence,
      set: { provision_state: 'error', last_error: 'It burns.', power_state: 'power off' },
    };
    await ask('PATCH', '', change);
    await ask('PATCH', '', change);
    expect(await readEvents()).toHaveLength(1);
  });

  it('has a change that was written before a crash, even when its entry was not', async () => {
    const { nodeHistory } = app.stores;
    const fence = await reserve({ power_state: 'power off' });
    const [first] = await history();
    // The crash: the node was written, its entry was not.
    await nodeHistory.remove(first?.uuid ?? '', first?.revision ?? 1, 0);
    await ask('PATCH', '', { holder: 'c1', fence, set: { power_state: 'power on' } });
    expect((await history()).map(({ uuid }) => uuid)[0]).toBe(first?.uuid);
    expect(await readEvents()).toHaveLength(2);
  });

  it('records maintenance that a user sets by a patch, and no other patch', async () => {
    const patch = (path: string, value: unknown) =>
      app.onNode(uuidOf(1), {
        method: 'PATCH',
        body: [{ op: 'add', path, value }],
        context: { subject: SUBJECT, api_version: '1.78' },
      });
    expect((await patch('/maintenance', true)).status).toBe(200);
    expect((await patch('/description', 'mine')).status).toBe(200);
    expect(await history()).toMatchObject([
      {
        severity: 'INFO',
        event: 'Maintenance was set.',
        event_type: 'maintenance',
        conductor: null,
        user: 'u-1',
      },
    ]);
  });

  it('records events of a conductor that changed nothing, whoever holds the lock', async () => {
    await reserve();
    const event = {
      conductor: 'c2',
      severity: 'ERROR',
      event: 'The BMC does not answer.',
      event_type: 'power',
    };
    expect((await ask('POST', '/history', event)).status).toBe(204);
    expect(await history()).toMatchObject([{ ...event, user: null }]);
    const before = await app.stores.nodes.findBy('uuid', uuidOf(1));
    expect(before).toMatchObject({ reservation: 'c1', last_error: null });
  });

  it.each([
    { conductor: 'c1', severity: 'WARN', event: 'x', event_type: null },
    { conductor: 'c1', severity: 'INFO', event: '', event_type: null },
    { conductor: 'c1', severity: 'INFO', event: 'x' },
    { conductor: 'c1', severity: 'INFO', event: 'x', event_type: null, node_uuid: uuidOf(2) },
  ])('takes no entry like %j', async (body) => {
    expect((await ask('POST', '/history', body)).status).toBe(400);
    expect(await history()).toEqual([]);
  });

  it('is written to by conductors only', async () => {
    const body = { conductor: 'c1', severity: 'INFO', event: 'x', event_type: null };
    const target = `/internal/nodes/${uuidOf(1)}/history`;
    for (const from of ['gateway', 'allocation'] as const)
      expect((await app.call({ from, method: 'POST', target, body })).status).toBe(403);
  });
});

describe('a write of a conductor', () => {
  it('is answered with the states that it was written over', async () => {
    const reserved = await ask('POST', '/reservation', {
      holder: 'c1',
      set: { power_state: 'power on' },
    });
    expect(reserved.body).toMatchObject({
      previous: { provision_state: 'available', provision_updated_at: null, power_state: null },
    });
    const { fence } = reserved.body as { readonly fence: number };
    const set = { provision_state: 'deploying', provision_updated_at: '2026-11-21T08:00:00+00:00' };
    await ask('PATCH', '', { holder: 'c1', fence, set });
    const { body } = await ask('PATCH', '', {
      holder: 'c1',
      fence,
      set: { provision_state: 'active' },
    });
    expect(body).toMatchObject({
      previous: {
        provision_state: 'deploying',
        provision_updated_at: '2026-11-21T08:00:00+00:00',
        power_state: 'power on',
      },
    });
  });
});
