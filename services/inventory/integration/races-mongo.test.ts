import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { claimNode } from '../src/application/allocations.js';
import { changeNode } from '../src/application/change-node.js';
import { importDocument } from '../src/application/import-document.js';
import { takeLock } from '../src/application/node-locks.js';
import { type StoredAllocation, type Stores } from '../src/ports/stores.js';
import { mongoStores } from '../src/testing/empty-stores.js';
import { makeNode, uuidOf } from '../src/testing/fixtures.js';
import { seesAll } from '../src/testing/test-app.js';

const uri = process.env['TENURE_TEST_MONGODB_URI'];
if (uri === undefined) throw new Error('TENURE_TEST_MONGODB_URI is not set');

const now = (): Date => new Date('2026-11-21T08:00:00Z');

let stores: Stores;
beforeEach(async () => {
  stores = await mongoStores(uri, `tenure_${randomUUID().replaceAll('-', '')}`);
  await stores.nodes.insert((epoch) =>
    makeNode({ uuid: uuidOf(1), provision_state: 'available', power_state: 'power off' }, epoch),
  );
});
afterEach(() => stores.close());

const allocation = (number: number): Promise<StoredAllocation> =>
  stores.allocations.insert((epoch) => ({
    uuid: uuidOf(number),
    name: null,
    owner: null,
    resource_class: null,
    traits: [],
    candidate_nodes: [],
    extra: {},
    state: 'allocating',
    node_uuid: null,
    last_error: null,
    created_at: '2026-11-21T08:00:00+00:00',
    updated_at: null,
    candidate_filter: { mode: 'all', predicates: [] },
    revision: epoch,
    tenancy_revision: epoch,
  }));

const won = (results: readonly PromiseSettledResult<unknown>[]): number =>
  results.filter(({ status }) => status === 'fulfilled').length;

describe('races in MongoDB', () => {
  it('one of many locks is taken', async () => {
    const attempts = Array.from({ length: 20 }, (_, index) =>
      takeLock(
        { stores, now },
        { uuid: uuidOf(1), holder: `c${String(index)}`, set: {}, user: null },
        { resources: [], obligations: seesAll },
      ),
    );
    expect(won(await Promise.allSettled(attempts))).toBe(1);
    expect(await stores.nodes.findBy('uuid', uuidOf(1))).toMatchObject({ fence: 2, revision: 2 });
  });

  it('one of many allocations gets the node', async () => {
    const wanting = await Promise.all([11, 12, 13, 14, 15, 16].map(allocation));
    const claims = wanting.map((one) =>
      claimNode({ stores, now }, one, { uuid: uuidOf(1), backfill: false }),
    );
    expect(won(await Promise.allSettled(claims))).toBe(1);
  });

  it('changes made at once are all kept, an import among them', async () => {
    const add = (key: string) =>
      changeNode({
        nodes: stores.nodes,
        now,
        uuid: uuidOf(1),
        ident: uuidOf(1),
        change: (node) => ({ ...node, traits: [...node.traits, key] }),
      });
    await Promise.all(['A', 'B', 'C', 'D', 'E'].map(add));
    const before = await stores.nodes.findBy('uuid', uuidOf(1));
    expect([...(before?.traits ?? [])].sort()).toEqual(['A', 'B', 'C', 'D', 'E']);
    const document = { nodes: [{ uuid: uuidOf(1), driver: 'fake-hardware', owner: 'p-a' }] };
    await Promise.all([importDocument({ stores, now }, document), add('F'), add('G')]);
    const after = await stores.nodes.findBy('uuid', uuidOf(1));
    expect(after).toMatchObject({ owner: 'p-a', tenancy_revision: 2, revision: 9 });
  });
});
