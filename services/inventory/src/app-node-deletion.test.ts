import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { recordPendingDeletion, finishDeletions } from './application/node-belongings.js';
import { EVERYTHING, uuidOf } from './testing/fixtures.js';
import { macOf, resourceCalls } from './testing/resource-calls.js';
import { startTestApp, type TestApp } from './testing/test-app.js';

const HANGING = ['ports', 'portgroups', 'volume_connectors', 'volume_targets'] as const;

let app: TestApp;
const { add, addNode, stored } = resourceCalls(() => app);

const now = new Date('2026-11-21T08:00:00Z');

async function furnish(number: number): Promise<void> {
  await addNode(number);
  for (const [at, section] of HANGING.entries())
    await add(section, number * 10 + at, {
      node_uuid: uuidOf(number),
      address: section === 'ports' ? macOf(number) : null,
      boot_index: 0,
    });
}
const left = async (number: number) =>
  Promise.all(HANGING.map((section, at) => stored(section, number * 10 + at)));
const NOTHING_LEFT = [undefined, undefined, undefined, undefined];

beforeEach(async () => {
  app = await startTestApp();
  await furnish(1);
  await furnish(2);
});
afterEach(() => app.close());

/** The store after a crash between the removal of a node and that of its dependent records. */
async function crashAfterRemoval(number: number): Promise<void> {
  const node = await app.stores.nodes.findBy('uuid', uuidOf(number));
  if (node === undefined) throw new Error('no node');
  await recordPendingDeletion(app.stores, node, now);
  await app.stores.nodes.remove(node.uuid, node.revision, node.revision);
}

describe('deleting a node', () => {
  it('removes what hangs on it, and on no other', async () => {
    expect((await app.onNode(uuidOf(1), { method: 'DELETE' })).status).toBe(204);
    expect(await left(1)).toEqual(NOTHING_LEFT);
    expect(await left(2)).not.toContain(undefined);
    expect(await app.stores.pendingDeletions.list(EVERYTHING)).toEqual([]);
  });

  it('that is refused removes nothing', async () => {
    await addNode(3, { protected: true });
    await add('ports', 33, { node_uuid: uuidOf(3), address: macOf(33) });
    expect((await app.onNode(uuidOf(3), { method: 'DELETE' })).status).toBe(403);
    expect(await stored('ports', 33)).toBeDefined();
  });
});

describe('a deletion that was interrupted', () => {
  it('is finished at the next start', async () => {
    await crashAfterRemoval(1);
    expect(await left(1)).not.toContain(undefined);
    await finishDeletions(app.stores);
    expect(await left(1)).toEqual(NOTHING_LEFT);
    expect(await app.stores.pendingDeletions.list(EVERYTHING)).toEqual([]);
  });

  it('before the node went leaves everything as it is', async () => {
    const node = await app.stores.nodes.findBy('uuid', uuidOf(1));
    if (node === undefined) throw new Error('no node');
    await recordPendingDeletion(app.stores, node, now);
    await finishDeletions(app.stores);
    expect(await left(1)).not.toContain(undefined);
    expect((await app.onNode(uuidOf(1), { method: 'DELETE' })).status).toBe(204);
    expect(await left(1)).toEqual(NOTHING_LEFT);
  });

  it('leaves nothing to a node that is made, or loaded, with the same uuid', async () => {
    await crashAfterRemoval(1);
    await crashAfterRemoval(2);
    const created = await app.call({
      from: 'gateway',
      method: 'POST',
      target: '/v1/nodes',
      body: { uuid: uuidOf(1), driver: 'fake-hardware' },
    });
    expect(created.status).toBe(201);
    expect(await left(1)).toEqual(NOTHING_LEFT);
    const loaded = await app.call({
      from: 'cli',
      method: 'POST',
      target: '/internal/import',
      body: { nodes: [{ uuid: uuidOf(2), driver: 'fake-hardware' }] },
    });
    expect(loaded.status).toBe(200);
    expect(await left(2)).toEqual(NOTHING_LEFT);
  });
});
