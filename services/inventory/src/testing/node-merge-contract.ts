/* eslint-disable max-lines-per-function -- a suite, long as test files are */
import { describe, expect, it } from '@jest/globals';
import { fieldOf, type NodeRecord } from '@tenure/contracts';
import { type NodeStore } from '../ports/stores.js';
import { EVERYTHING, makeNode, uuidOf } from './fixtures.js';

type Values = Readonly<Record<string, unknown>>;

/** The contract of every adapter of the node store for writes of many records at once. `nodes` gives the empty store. */
export function nodeMergeContract(nodes: () => NodeStore): void {
  const add = (number: number, values: Values = {}): Promise<NodeRecord> =>
    nodes().insert((epoch) =>
      makeNode({ uuid: uuidOf(number), name: `n${String(number)}`, ...values }, epoch),
    );

  describe('merge', () => {
    it('inserts what is new and combines with what is there', async () => {
      const first = await add(1, { owner: 'p-a' });
      const seen: (string | undefined)[] = [];
      await nodes().merge(
        [makeNode({ uuid: uuidOf(1), owner: 'p-b' }), makeNode({ uuid: uuidOf(2), owner: 'p-c' })],
        (existing, incoming) => {
          seen.push(existing?.owner ?? undefined);
          return { ...incoming, revision: (existing?.revision ?? 0) + 1 };
        },
      );
      expect(seen).toEqual(['p-a', undefined]);
      expect(await nodes().findBy('uuid', uuidOf(1))).toMatchObject({
        owner: 'p-b',
        revision: first.revision + 1,
      });
      expect(await nodes().list(EVERYTHING)).toHaveLength(2);
    });

    const overwrite = (existing: NodeRecord | undefined, incoming: NodeRecord): NodeRecord => ({
      ...incoming,
      revision: (existing?.revision ?? 0) + 1,
    });

    it.each(['name', 'instance_uuid', 'allocation_uuid'])(
      'lets records hand their %s to one another, in a circle and to a new one',
      async (field) => {
        const values = ['a', 'b', 'c'].map((letter) => letter.repeat(4));
        for (const number of [1, 2, 3]) await add(number, { [field]: values[number - 1] });
        const incoming = [
          makeNode({ uuid: uuidOf(1), [field]: values[1] }),
          makeNode({ uuid: uuidOf(4), [field]: values[2] }),
          makeNode({ uuid: uuidOf(2), [field]: values[0] }),
          makeNode({ uuid: uuidOf(3) }),
        ];
        await nodes().merge(incoming, overwrite);
        const found = await nodes().list(EVERYTHING);
        expect(found.map((node) => fieldOf(node, field))).toEqual(['bbbb', 'aaaa', null, 'cccc']);
        expect(await nodes().findBy(field, 'aaaa')).toMatchObject({ uuid: uuidOf(2), revision: 2 });
        const second = nodes().insert(() => makeNode({ uuid: uuidOf(5), [field]: 'aaaa' }));
        await expect(second).rejects.toMatchObject({ field });
      },
    );

    it('changes nothing when a swap also asks for what a record outside of it has', async () => {
      const before = [await add(1), await add(2), await add(3)];
      const incoming = [
        makeNode({ uuid: uuidOf(1), name: 'n2' }),
        makeNode({ uuid: uuidOf(2), name: 'n1', instance_uuid: null }),
        makeNode({ uuid: uuidOf(4), name: 'n3' }),
      ];
      await expect(nodes().merge(incoming, overwrite)).rejects.toMatchObject({ field: 'name' });
      expect(await nodes().list(EVERYTHING)).toEqual(before);
      await expect(add(5, { name: 'n1' })).rejects.toMatchObject({ field: 'name' });
    });

    it('refuses one value for two records', async () => {
      await add(1);
      const incoming = [2, 3].map((number) => makeNode({ uuid: uuidOf(number), name: 'same' }));
      await expect(nodes().merge(incoming, overwrite)).rejects.toMatchObject({ field: 'name' });
    });

    it('refuses a unique value that another record has', async () => {
      await add(1);
      await expect(
        nodes().merge([makeNode({ uuid: uuidOf(2), name: 'n1' })], (_, incoming) => incoming),
      ).rejects.toMatchObject({ field: 'name' });
    });
  });
}
/* eslint-enable max-lines-per-function -- the suite ends here */
