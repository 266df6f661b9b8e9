import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type StoredRecord } from '../ports/record-store.js';
import { type Stores } from '../ports/stores.js';
import { EVERYTHING, makeNode, uuidOf } from './fixtures.js';

type Values = Readonly<Record<string, unknown>>;

const FULL: Values = {
  plain: 'text',
  zero: 0,
  flag: true,
  list: ['a'],
  objects: [{ a: 1 }],
  object: { kept: { a: 1, b: 2 }, 'dropped.at': { $c: 3 } },
};

/** A record, and the one that replaces it. */
const REPLACEMENTS: readonly (readonly [what: string, after: Values])[] = [
  ['members that are dropped', {}],
  ['nested members that are dropped', { ...FULL, object: { kept: { b: 2 } } }],
  ['members that become null', { plain: null, list: null, objects: null, object: null }],
  ['members that become empty', { plain: '', list: [], objects: [], object: {} }],
  ['values that become objects', { plain: { a: 1 }, list: [[]], flag: { x: null } }],
  ['objects that become values', { object: 'text', objects: false, list: 7 }],
];

/** The contract of every adapter for a record that replaces another: nothing of the old one stays. */
export function replacementContract(makeStores: () => Promise<Stores>): void {
  let stores: Stores;

  beforeEach(async () => {
    stores = await makeStores();
  });
  afterEach(() => stores.close());

  const replaced = async (way: 'swap' | 'merge', before: Values, after: Values) => {
    const old = await stores.nodes.insert((epoch) =>
      makeNode({ uuid: uuidOf(1), name: 'n1', ...before }, epoch),
    );
    await stores.nodes.insert((epoch) => makeNode({ uuid: uuidOf(2) }, epoch));
    const fresh = makeNode({ uuid: uuidOf(1), name: 'n1', ...after }, old.revision + 1);
    if (way === 'swap') expect(await stores.nodes.swap(fresh, old.revision)).toBe(true);
    else await stores.nodes.merge([fresh], () => fresh);
    return { fresh, found: await stores.nodes.findBy('uuid', uuidOf(1)) };
  };

  describe.each(['swap', 'merge'] as const)('a %s', (way) => {
    it.each(REPLACEMENTS)('keeps none of %s', async (_what, after) => {
      const { fresh, found } = await replaced(way, FULL, after);
      expect(found).toEqual(fresh);
      const back = await restored(stores, fresh, FULL);
      expect(back.found).toEqual(back.fresh);
    });

    it('keeps the place in the order of creation, and what is unique', async () => {
      await replaced(way, FULL, {});
      const all = await stores.nodes.list(EVERYTHING);
      expect(all.map(({ uuid }) => uuid)).toEqual([uuidOf(1), uuidOf(2)]);
      const taken = stores.nodes.insert(() => makeNode({ uuid: uuidOf(3), name: 'n1' }));
      await expect(taken).rejects.toMatchObject({ field: 'name' });
    });
  });

  it('a swap over another revision changes nothing', async () => {
    const old = await stores.nodes.insert((epoch) => makeNode({ uuid: uuidOf(1), ...FULL }, epoch));
    const stale = makeNode({ uuid: uuidOf(1) }, old.revision + 2);
    expect(await stores.nodes.swap(stale, old.revision + 1)).toBe(false);
    expect(await stores.nodes.findBy('uuid', uuidOf(1))).toEqual(old);
  });
}

/** And back again: what was dropped can come back. */
async function restored(stores: Stores, before: StoredRecord, values: Values) {
  const fresh = makeNode({ uuid: before.uuid, name: 'n1', ...values }, before.revision + 1);
  expect(await stores.nodes.swap(fresh, before.revision)).toBe(true);
  return { fresh, found: await stores.nodes.findBy('uuid', before.uuid) };
}
