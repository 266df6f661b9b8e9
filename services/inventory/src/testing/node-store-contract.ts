/* eslint-disable max-lines-per-function -- a suite, long as test files are */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type NodeRecord } from '@tenure/contracts';
import { DuplicateValueError, type RecordQuery } from '../ports/record-store.js';
import { type NodeStore, type Stores } from '../ports/stores.js';
import { EVERYTHING, makeNode, uuidOf } from './fixtures.js';
import { nodeMergeContract } from './node-merge-contract.js';

type Values = Readonly<Record<string, unknown>>;

/** The contract of every adapter of the node store. `makeStores` gives empty stores. */
export function nodeStoreContract(makeStores: () => Promise<Stores>): void {
  let stores: Stores;
  let nodes: NodeStore;

  beforeEach(async () => {
    stores = await makeStores();
    nodes = stores.nodes;
  });
  afterEach(() => stores.close());

  const add = (number: number, values: Values = {}): Promise<NodeRecord> =>
    nodes.insert((epoch) =>
      makeNode({ uuid: uuidOf(number), name: `n${String(number)}`, ...values }, epoch),
    );
  const numbers = async (query: Partial<RecordQuery>): Promise<readonly number[]> =>
    (await nodes.list({ ...EVERYTHING, ...query })).map(({ uuid }) => Number(uuid.slice(-6)));

  describe('records', () => {
    it('come back as they were written, whatever the names of nested members', async () => {
      const written = await add(1, {
        owner: 'p-a',
        traits: ['CUSTOM_A'],
        extra: {
          'a.b': 1,
          $set: { $where: null },
          '': [{ '': 'x' }],
          deep: { list: [1, [2, { three: 'é\u0000' }]] },
        },
      });
      expect(await nodes.findBy('uuid', uuidOf(1))).toEqual(written);
      expect(await nodes.findBy('name', 'n1')).toEqual(written);
    });

    it('are not found by a value that none has', async () => {
      await add(1);
      expect(await nodes.findBy('uuid', uuidOf(2))).toBeUndefined();
      expect(await nodes.findBy('name', 'N1')).toBeUndefined();
      expect(await nodes.findBy('instance_uuid', uuidOf(1))).toBeUndefined();
    });

    it('cannot be found by a field without an index', async () => {
      await expect(nodes.findBy('extra', 'x')).rejects.toThrow();
    });
  });

  describe('unique fields', () => {
    it.each(['name', 'instance_uuid', 'allocation_uuid'])(
      'keep a second %s out of an insert',
      async (field) => {
        await add(1, { [field]: uuidOf(9) });
        const second = nodes.insert((epoch) =>
          makeNode({ uuid: uuidOf(2), [field]: uuidOf(9) }, epoch),
        );
        await expect(second).rejects.toBeInstanceOf(DuplicateValueError);
        await expect(second).rejects.toMatchObject({ field });
        expect(await numbers({})).toEqual([1]);
      },
    );

    it('keep a second uuid out of an insert', async () => {
      await add(1);
      await expect(add(1, { name: 'other' })).rejects.toMatchObject({ field: 'uuid' });
    });

    it('keep a second name out of a swap, and leave the record as it was', async () => {
      await add(1);
      const second = await add(2);
      await expect(
        nodes.swap({ ...second, name: 'n1', revision: second.revision + 1 }, second.revision),
      ).rejects.toMatchObject({ field: 'name' });
      expect(await nodes.findBy('uuid', uuidOf(2))).toEqual(second);
    });

    it('let any number of records have none', async () => {
      await add(1, { name: null });
      await add(2, { name: null });
      expect(await numbers({})).toEqual([1, 2]);
    });
  });

  describe('compare and set', () => {
    it('writes over the revision that was read', async () => {
      const before = await add(1);
      const after = { ...before, owner: 'p-b', name: null, revision: before.revision + 1 };
      expect(await nodes.swap(after, before.revision)).toBe(true);
      expect(await nodes.findBy('uuid', uuidOf(1))).toEqual(after);
      expect(await nodes.findBy('name', 'n1')).toBeUndefined();
    });

    it('refuses over any other revision, and for a record that was removed', async () => {
      const before = await add(1);
      expect(await nodes.swap({ ...before, owner: 'x' }, before.revision + 1)).toBe(false);
      expect(await nodes.swap({ ...before, uuid: uuidOf(2) }, before.revision)).toBe(false);
      expect(await nodes.findBy('uuid', uuidOf(1))).toEqual(before);
    });

    it('has one winner among many at once', async () => {
      const before = await add(1);
      const attempts = Array.from({ length: 20 }, (_, index) =>
        nodes.swap(
          { ...before, owner: `p-${String(index)}`, revision: before.revision + 1 },
          before.revision,
        ),
      );
      expect((await Promise.all(attempts)).filter(Boolean)).toHaveLength(1);
    });

    it('removes at the revision that was read only', async () => {
      const before = await add(1);
      expect(await nodes.remove(uuidOf(1), before.revision + 1, before.revision)).toBe(false);
      expect(await nodes.remove(uuidOf(1), before.revision, before.revision)).toBe(true);
      expect(await nodes.remove(uuidOf(1), before.revision, before.revision)).toBe(false);
      expect(await numbers({})).toEqual([]);
    });

    it('starts a record that is made again above every number of the one that was removed', async () => {
      const before = await add(1);
      const after = {
        ...before,
        tenancy_revision: before.tenancy_revision + 7,
        revision: before.revision + 1,
      };
      await nodes.swap(after, before.revision);
      await nodes.remove(uuidOf(1), after.revision, after.tenancy_revision);
      expect((await add(1)).tenancy_revision).toBe(before.tenancy_revision + 8);
    });
  });

  nodeMergeContract(() => nodes);

  describe('lists', () => {
    const fleet = async (): Promise<void> => {
      await add(1, { owner: 'p-a', name: 'c', provision_state: 'available', maintenance: true });
      await add(2, {
        owner: 'p-b',
        lessee: 'p-a',
        name: 'a',
        provision_state: 'active',
        description: 'Rack 100%_x',
      });
      await add(3, {
        owner: 'p-a',
        lessee: 'p-a',
        name: null,
        provision_state: 'available',
        traits: ['T1', 'T2'],
      });
      await add(4, { owner: 'p-c', name: 'b', provision_state: 'available', traits: ['T1'] });
      await add(5, { owner: null, name: null, provision_state: 'enroll' });
    };
    const own = [
      { field: 'owner', value: 'p-a' },
      { field: 'lessee', value: 'p-a' },
    ];

    beforeEach(fleet);

    it('show all, in the order of creation or against it', async () => {
      expect(await numbers({})).toEqual([1, 2, 3, 4, 5]);
      expect(await numbers({ order: { field: null, descending: true } })).toEqual([5, 4, 3, 2, 1]);
    });

    it('show a row once that matches two alternatives, and nothing without alternatives', async () => {
      expect(await numbers({ anyOf: own })).toEqual([1, 2, 3]);
      expect(await numbers({ anyOf: [{ field: 'owner', value: 'p-x' }] })).toEqual([]);
      expect(await numbers({ anyOf: [] })).toEqual([]);
    });

    it('combine alternatives with conditions', async () => {
      const where = [{ field: 'provision_state', op: 'eq', value: 'available' }] as const;
      expect(await numbers({ where })).toEqual([1, 3, 4]);
      expect(await numbers({ where, anyOf: own })).toEqual([1, 3]);
    });

    it.each([
      ['a flag', { field: 'maintenance', op: 'eq', value: true }, [1]],
      ['a flag that is not set', { field: 'maintenance', op: 'eq', value: false }, [2, 3, 4, 5]],
      [
        'one of several values',
        { field: 'provision_state', op: 'in', values: ['active', 'enroll'] },
        [2, 5],
      ],
      ['one of no values', { field: 'provision_state', op: 'in', values: [] }, []],
      ['null', { field: 'name', op: 'null' }, [3, 5]],
      ['not null', { field: 'lessee', op: 'not_null' }, [2, 3]],
      [
        'a part of a text, whatever its case',
        { field: 'description', op: 'contains', value: 'rack 100%_' },
        [2],
      ],
      [
        'a part of a text that is not a pattern',
        { field: 'description', op: 'contains', value: 'r.ck' },
        [],
      ],
      ['all of several traits', { field: 'traits', op: 'has_all', values: ['T2', 'T1'] }, [3]],
      ['a uuid', { field: 'uuid', op: 'in', values: [uuidOf(4), uuidOf(8)] }, [4]],
    ] as const)('filter by %s', async (_, condition, expected) => {
      expect(await numbers({ where: [condition] })).toEqual(expected);
    });

    it('refuse a field that may not be queried', async () => {
      await expect(
        numbers({ where: [{ field: 'extra', op: 'eq', value: 'x' }] }),
      ).rejects.toThrow();
      await expect(numbers({ anyOf: [{ field: 'extra', value: 'x' }] })).rejects.toThrow();
      await expect(numbers({ order: { field: "name' --", descending: false } })).rejects.toThrow();
    });

    it.each([
      ['name', false, [3, 5, 2, 4, 1]],
      ['name', true, [1, 4, 2, 5, 3]],
      ['maintenance', false, [2, 3, 4, 5, 1]],
      ['provision_state', true, [5, 4, 3, 1, 2]],
      [null, false, [1, 2, 3, 4, 5]],
      [null, true, [5, 4, 3, 2, 1]],
    ] as const)(
      'sorted by %s (descending: %s) are the same in pages of one as at once',
      async (field, descending, expected) => {
        const order = { field, descending };
        expect(await numbers({ order })).toEqual(expected);
        const paged: number[] = [];
        let after: RecordQuery['after'] = null;
        for (;;) {
          const [node]: readonly NodeRecord[] = await nodes.list({
            ...EVERYTHING,
            order,
            after,
            limit: 1,
          });
          if (node === undefined) break;
          paged.push(Number(node.uuid.slice(-6)));
          after = {
            uuid: node.uuid,
            value: field === null ? null : node[field],
          };
        }
        expect(paged).toEqual(expected);
      },
    );

    it('page through alternatives too', async () => {
      expect(await numbers({ anyOf: own, limit: 2 })).toEqual([1, 2]);
      expect(
        await numbers({ anyOf: own, after: { uuid: uuidOf(2), value: null }, limit: 2 }),
      ).toEqual([3]);
      expect(
        await numbers({
          anyOf: own,
          order: { field: 'name', descending: false },
          after: { uuid: uuidOf(3), value: null },
        }),
      ).toEqual([2, 1]);
    });
  });
}
/* eslint-enable max-lines-per-function -- the suite ends here */
