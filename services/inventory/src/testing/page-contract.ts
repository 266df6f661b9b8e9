/* eslint-disable max-lines-per-function -- a suite, long as test files are */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type PageQuery } from '../ports/record-store.js';
import { type Stores } from '../ports/stores.js';
import { EVERYTHING, makeNode, uuidOf } from './fixtures.js';

type Values = Readonly<Record<string, unknown>>;

const KILOBYTE = 1024;

/** The contract of every adapter for pages, which are bounded in bytes. `makeStores` returns empty stores. */
export function pageContract(makeStores: () => Promise<Stores>): void {
  let stores: Stores;

  beforeEach(async () => {
    stores = await makeStores();
  });
  afterEach(() => stores.close());

  const add = (number: number, values: Values = {}) =>
    stores.nodes.insert((epoch) =>
      makeNode({ uuid: uuidOf(number), name: `n${String(number)}`, ...values }, epoch),
    );
  const addLarge = (number: number, values: Values = {}) =>
    add(number, { extra: { text: 'x'.repeat(100 * KILOBYTE) }, ...values });
  const pageOf = async (query: Partial<PageQuery>) => {
    const { rows, more } = await stores.nodes.page({ ...EVERYTHING, ...query });
    return { numbers: rows.map(({ uuid }) => Number(uuid.slice(-6))), more };
  };

  describe('a page', () => {
    it('has all matching records, whole, when they fit', async () => {
      const written = [await add(1), await addLarge(2)];
      expect(await stores.nodes.page(EVERYTHING)).toEqual({ rows: written, more: false });
    });

    it('ends at its limit, and reports whether there is more', async () => {
      for (const number of [1, 2, 3]) await add(number);
      expect(await pageOf({ limit: 2 })).toEqual({ numbers: [1, 2], more: true });
      expect(await pageOf({ limit: 3 })).toEqual({ numbers: [1, 2, 3], more: false });
    });

    it('ends at its bytes, and the next page continues after it', async () => {
      for (const number of [1, 2, 3, 4, 5]) await addLarge(number);
      const bytes = 250 * KILOBYTE;
      expect(await pageOf({ bytes })).toEqual({ numbers: [1, 2], more: true });
      const after = (number: number) => ({ uuid: uuidOf(number), value: null });
      expect(await pageOf({ bytes, after: after(2) })).toEqual({ numbers: [3, 4], more: true });
      expect(await pageOf({ bytes, after: after(4) })).toEqual({ numbers: [5], more: false });
    });

    it('has at least one row, however large it is', async () => {
      await addLarge(1);
      await addLarge(2);
      expect(await pageOf({ bytes: 1 })).toEqual({ numbers: [1], more: true });
      expect(await pageOf({ bytes: 1, after: { uuid: uuidOf(1), value: null } })).toEqual({
        numbers: [2],
        more: false,
      });
    });

    it('keeps its order and its alternatives', async () => {
      await addLarge(1, { owner: 'p-a', name: 'c' });
      await addLarge(2, { owner: 'p-b', name: 'b' });
      await addLarge(3, { lessee: 'p-a', name: 'a' });
      const query = {
        anyOf: ['owner', 'lessee'].map((field) => ({ field, value: 'p-a' })),
        order: { field: 'name', descending: true },
        bytes: 150 * KILOBYTE,
      };
      expect(await pageOf(query)).toEqual({ numbers: [1], more: true });
      expect(await pageOf({ ...query, after: { uuid: uuidOf(1), value: 'c' } })).toEqual({
        numbers: [3],
        more: false,
      });
      expect(await pageOf({ anyOf: [] })).toEqual({ numbers: [], more: false });
    });
  });

  describe('a projection', () => {
    const projected = (...fields: readonly string[]) =>
      stores.nodes.page({ ...EVERYTHING, fields });

    it('has the requested fields and the uuid, as they were written', async () => {
      const values = {
        owner: null,
        maintenance: true,
        traits: ['CUSTOM_A', 'CUSTOM_B'],
        extra: { 'a.b': '"é\n', deep: [1.5, { $x: null }], '': false },
        target_raid_config: {},
      };
      await add(1, values);
      const { rows } = await projected(...Object.keys(values), 'name', 'revision', 'name');
      expect(rows).toEqual([{ uuid: uuidOf(1), name: 'n1', revision: 1, ...values }]);
    });

    it('omits fields that the record lacks, and keeps a null', async () => {
      const node = await add(1, { owner: null });
      const rest = Object.fromEntries(Object.entries(node).filter(([name]) => name !== 'extra'));
      await stores.nodes.swap({ ...rest, revision: 2 } as typeof node, 1); // as an earlier release wrote it
      const [row] = (await projected('owner', 'extra', 'no_such_field')).rows;
      expect(Object.keys(row ?? {}).sort()).toEqual(['owner', 'uuid']);
      expect(row).toEqual({ uuid: uuidOf(1), owner: null });
    });

    it('counts only the bytes of the requested fields', async () => {
      for (const number of [1, 2, 3]) await addLarge(number);
      expect(await pageOf({ bytes: 10 * KILOBYTE, fields: ['name', 'owner'] })).toEqual({
        numbers: [1, 2, 3],
        more: false,
      });
      expect(await pageOf({ bytes: 10 * KILOBYTE, fields: ['name', 'extra'] })).toEqual({
        numbers: [1],
        more: true,
      });
    });

    it('accepts only field names: no other text becomes part of a statement', async () => {
      for (const name of ["a'", 'a.b', '$where', 'A b', ''])
        await expect(projected(name)).rejects.toThrow('no field');
    });
  });
}
/* eslint-enable max-lines-per-function -- the suite ends here */
