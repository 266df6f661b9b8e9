/* eslint-disable max-lines-per-function -- a suite, long as test files are */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { claimFor, claimOf, releaseUnused, useOf } from '../application/claims.js';
import { externalResource } from '../domain/external-resources.js';
import { type RecordQuery } from '../ports/record-store.js';
import { type ResourceRecord } from '../ports/resource-records.js';
import { type Stores } from '../ports/stores.js';
import { EVERYTHING, makeNode, uuidOf } from './fixtures.js';

type Values = Readonly<Record<string, unknown>>;

/** The contract of every adapter for records that belong to nodes. `makeStores` gives empty stores. */
export function resourceStoresContract(makeStores: () => Promise<Stores>): void {
  let stores: Stores;

  beforeEach(async () => {
    stores = await makeStores();
  });
  afterEach(() => stores.close());

  const addNode = (number: number, values: Values) =>
    stores.nodes.insert((epoch) => makeNode({ uuid: uuidOf(number), ...values }, epoch));
  const record = (number: number, values: Values): ResourceRecord => ({
    uuid: uuidOf(number),
    created_at: '2026-11-21T07:10:57+00:00',
    updated_at: null,
    revision: 1,
    ...values,
  });
  const addPort = (number: number, node: number | null, values: Values = {}) =>
    stores.resources.ports.insert(() =>
      record(number, {
        node_uuid: node === null ? null : uuidOf(node),
        address: mac(number),
        name: null,
        ...values,
      }),
    );
  const portNumbers = async (query: Partial<RecordQuery>): Promise<readonly number[]> =>
    (await stores.resources.ports.list({ ...EVERYTHING, ...query })).map(({ uuid }) =>
      Number(uuid.slice(-6)),
    );
  const own = [
    { field: 'owner', value: 'p-a' },
    { field: 'lessee', value: 'p-a' },
  ];

  describe('lists through the node', () => {
    beforeEach(async () => {
      await addNode(1, { owner: 'p-a', shard: 's1' });
      await addNode(2, { owner: 'p-b', lessee: 'p-a', shard: 's2' });
      await addNode(3, { owner: 'p-a', lessee: 'p-a' });
      await addNode(4, { owner: 'p-b', shard: 's1' });
      await addNode(5, {});
      for (const [port, node] of [
        [11, 1],
        [12, 2],
        [13, 3],
        [14, 4],
        [15, 5],
        [16, 1],
        [17, 99],
      ] as const)
        await addPort(port, node);
      await addPort(18, null);
    });

    it('show what hangs on nodes that match one alternative, each record once', async () => {
      expect(await portNumbers({ through: { anyOf: own, where: [] } })).toEqual([11, 12, 13, 16]);
      const nobody = [{ field: 'owner', value: 'p-x' }];
      expect(await portNumbers({ through: { anyOf: nobody, where: [] } })).toEqual([]);
      expect(await portNumbers({ through: { anyOf: [], where: [] } })).toEqual([]);
    });

    it('return all records when there is no condition on the node, also those without a node', async () => {
      expect(await portNumbers({})).toEqual([11, 12, 13, 14, 15, 16, 17, 18]);
    });

    it('return no record without a node as soon as there is a condition on the node', async () => {
      expect(await portNumbers({ through: { anyOf: null, where: [] } })).toEqual([
        11, 12, 13, 14, 15, 16,
      ]);
    });

    it('combine conditions on the node with alternatives, with conditions and with order', async () => {
      const shard = { field: 'shard', op: 'in', values: ['s1'] } as const;
      expect(await portNumbers({ through: { anyOf: null, where: [shard] } })).toEqual([11, 14, 16]);
      expect(await portNumbers({ through: { anyOf: own, where: [shard] } })).toEqual([11, 16]);
      const where = [{ field: 'address', op: 'eq', value: mac(16) }] as const;
      expect(await portNumbers({ through: { anyOf: own, where: [shard] }, where })).toEqual([16]);
      const order = { field: 'address', descending: true };
      expect(await portNumbers({ through: { anyOf: own, where: [] }, order })).toEqual([
        16, 13, 12, 11,
      ]);
    });

    it('page', async () => {
      const through = { anyOf: own, where: [] };
      expect(await portNumbers({ through, limit: 2 })).toEqual([11, 12]);
      expect(
        await portNumbers({ through, limit: 2, after: { uuid: uuidOf(12), value: null } }),
      ).toEqual([13, 16]);
    });

    it('follow the node as it is now', async () => {
      const node = await stores.nodes.findBy('uuid', uuidOf(2));
      if (node === undefined) throw new Error('no node');
      await stores.nodes.swap(
        { ...node, lessee: null, revision: node.revision + 1 },
        node.revision,
      );
      expect(await portNumbers({ through: { anyOf: own, where: [] } })).toEqual([11, 13, 16]);
    });

    it('are refused for records that hang on nothing, and by fields that may not be queried', async () => {
      const through = { anyOf: own, where: [] };
      await expect(stores.resources.chassis.list({ ...EVERYTHING, through })).rejects.toThrow();
      const extra = { anyOf: null, where: [{ field: 'extra', op: 'null' }] } as const;
      await expect(portNumbers({ through: extra })).rejects.toThrow();
    });
  });

  describe('unique values', () => {
    it.each(['ports', 'portgroups'] as const)(
      '%s have addresses and names of their own',
      async (section) => {
        const store = stores.resources[section];
        await store.insert(() => record(1, { address: mac(1), name: 'a' }));
        const sameAddress = store.insert(() => record(2, { address: mac(1), name: null }));
        await expect(sameAddress).rejects.toMatchObject({ field: 'address' });
        const sameName = store.insert(() => record(2, { address: mac(2), name: 'a' }));
        await expect(sameName).rejects.toMatchObject({ field: 'name' });
        const second = await store.insert(() => record(2, { address: null, name: null }));
        await store.insert(() => record(3, { address: null, name: null }));
        const swap = store.swap({ ...second, address: mac(1), revision: 2 }, 1);
        await expect(swap).rejects.toMatchObject({ field: 'address' });
      },
    );

    it('a type and an id are taken together', async () => {
      const store = stores.resources.volume_connectors;
      const add = (number: number, type: string | null, id: string) =>
        store.insert(() => record(number, { type, connector_id: id, node_uuid: uuidOf(number) }));
      await add(1, 'iqn', 'x');
      await add(2, 'iqn', 'y');
      await add(3, 'ip', 'x');
      await expect(add(4, 'iqn', 'x')).rejects.toMatchObject({ field: 'type, connector_id' });
      await add(5, null, 'x');
      await add(6, null, 'x');
    });

    it('a node has one volume of each boot index', async () => {
      const store = stores.resources.volume_targets;
      const add = (number: number, node: number, index: number) =>
        store.insert(() => record(number, { node_uuid: uuidOf(node), boot_index: index }));
      await add(1, 7, 0);
      await add(2, 7, 1);
      await add(3, 8, 0);
      await expect(add(4, 7, 1)).rejects.toMatchObject({ field: 'node_uuid, boot_index' });
    });

    it('change hands within one merge', async () => {
      const store = stores.resources.volume_targets;
      const rows = (first: number, second: number) =>
        [first, second].map((index, at) =>
          record(at + 1, { node_uuid: uuidOf(7), boot_index: index }),
        );
      const combine = (
        existing: ResourceRecord | undefined,
        incoming: ResourceRecord,
      ): ResourceRecord => ({ ...incoming, revision: (existing?.revision ?? 0) + 1 });
      await store.merge(rows(0, 1), combine);
      await store.merge(rows(1, 0), combine);
      const found = await store.list(EVERYTHING);
      expect(found.map((row) => row.boot_index)).toEqual([1, 0]);
      const third = store.insert(() => record(3, { node_uuid: uuidOf(7), boot_index: 1 }));
      await expect(third).rejects.toMatchObject({ field: 'node_uuid, boot_index' });
    });
  });

  describe('claims', () => {
    const NODE = uuidOf(70);
    const volume = externalResource('volume', 'v-1');
    const use = (n: number, volumeId = 'v-1') =>
      stores.resources.volume_targets.insert(() =>
        record(n, { node_uuid: NODE, boot_index: n, volume_id: volumeId }),
      );

    it('are the first project’s, while the resource is in use', async () => {
      expect(await claimFor({ stores }, volume, 'p-a')).toBe('p-a');
      await use(71);
      expect(await claimFor({ stores }, volume, 'p-b')).toBe('p-a');
      expect(await claimFor({ stores }, volume, null)).toBe('p-a');
    });

    it('of a free resource are taken over, and removed on request', async () => {
      await claimFor({ stores }, volume, 'p-a');
      expect(await useOf({ stores }, volume)).toMatchObject({ holders: [], projectId: null });
      expect(await claimFor({ stores }, volume, 'p-b')).toBe('p-b');
      await releaseUnused({ stores }, volume);
      expect(await claimOf({ stores }, volume)).toBeUndefined();
    });

    it('that nobody made are of the project that has the machine, once one has it', async () => {
      await use(72);
      expect(await claimFor({ stores }, volume, 'p-b')).toBeNull();
      await addNode(70, { owner: 'p-a' });
      expect((await useOf({ stores }, volume)).projectId).toBe('p-a');
      expect(await claimFor({ stores }, volume, 'p-b')).toBe('p-a');
    });

    it('have one winner among many at once', async () => {
      const projects = Array.from({ length: 10 }, (_, index) => `p-${String(index)}`);
      await Promise.all(projects.map((one) => claimFor({ stores }, volume, one)));
      await use(73);
      const { projectId } = await useOf({ stores }, volume);
      expect(projects).toContain(projectId);
      const later = await Promise.all(projects.map((one) => claimFor({ stores }, volume, one)));
      expect(new Set(later)).toEqual(new Set([projectId]));
    });

    it('of a VIF and of a volume with the same id are two', async () => {
      await use(74);
      await claimFor({ stores }, volume, 'p-a');
      expect(await claimFor({ stores }, externalResource('vif', 'v-1'), 'p-b')).toBe('p-b');
    });
  });
}

const mac = (number: number): string => `52:54:00:00:00:${String(number).padStart(2, '0')}`;
/* eslint-enable max-lines-per-function -- the suite ends here */
