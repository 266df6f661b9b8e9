/* eslint-disable max-lines-per-function -- a suite, long as test files are */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { keepDocument } from '../operations/node-documents.js';
import { historyOf, MAX_ENTRIES, recordFailure } from '../operations/node-history.js';
import { type Stores } from '../ports/stores.js';
import { makeNode, uuidOf } from './fixtures.js';

/** What every adapter has to do with what is kept of a node beside it. `makeStores` gives empty stores. */
export const nodePartsContract = (makeStores: () => Promise<Stores>): void => {
  let stores: Stores;
  const now = () => new Date('2026-11-21T08:00:00.000Z');

  beforeEach(async () => {
    stores = await makeStores();
  });
  afterEach(() => stores.close());

  const add = (number: number, shard: string | null) =>
    stores.nodes.insert((epoch) =>
      makeNode({ uuid: uuidOf(number), name: `n${String(number)}`, shard }, epoch),
    );

  it('values of an indexed field are counted, null first', async () => {
    await add(1, 'west');
    await add(2, null);
    await add(3, 'east');
    await add(4, 'west');
    expect(await stores.nodes.countBy('shard')).toEqual([
      { value: null, count: 1 },
      { value: 'east', count: 1 },
      { value: 'west', count: 2 },
    ]);
  });

  it('values are counted of indexed fields only', async () => {
    await expect(stores.nodes.countBy('extra')).rejects.toThrow();
  });

  it('a document keeps members of any name and depth, and is replaced as a whole', async () => {
    await add(1, null);
    const inventory = { 'a.b': [{ $set: { '': null } }], memory: { physical_mb: 1024 } };
    const node = uuidOf(1);
    await keepDocument({ stores, now }, node, 'inventory', { inventory: { cpu: 1 } });
    await keepDocument({ stores, now }, node, 'inventory', { inventory, plugin_data: {} });
    await keepDocument({ stores, now }, node, 'bios', { settings: [] });
    expect(await stores.nodeDocuments.findBy('uuid', `${node}:inventory`)).toEqual({
      uuid: `${node}:inventory`,
      node_uuid: node,
      document: { inventory, plugin_data: {} },
      created_at: '2026-11-21T08:00:00+00:00',
      updated_at: '2026-11-21T08:00:00+00:00',
      revision: 2,
    });
  });

  it('a document of a node that is gone is not kept', async () => {
    await expect(
      keepDocument({ stores, now }, uuidOf(1), 'bios', { settings: [] }),
    ).rejects.toMatchObject({ status: 404 });
    expect(await stores.nodeDocuments.findBy('uuid', `${uuidOf(1)}:bios`)).toBeUndefined();
  });

  it('a history is one node’s, oldest first, and forgets what is too old', async () => {
    const node = await add(1, null);
    const other = await add(2, null);
    const fail = (number: number) =>
      recordFailure({ stores, now }, node, {
        event: `failure ${String(number)}`,
        conductor: 'c1',
        user: null,
      });
    await recordFailure({ stores, now }, other, { event: 'x', conductor: 'c1', user: null });
    for (let number = 1; number <= MAX_ENTRIES + 2; number += 1) await fail(number);
    const entries = await historyOf(stores.nodeHistory, node.uuid);
    expect(entries).toHaveLength(300);
    expect(entries[0]).toMatchObject({ event: 'failure 3' });
    expect(entries.at(-1)).toMatchObject({ event: 'failure 302' });
    expect(await historyOf(stores.nodeHistory, other.uuid)).toHaveLength(1);
  });
};
/* eslint-enable max-lines-per-function -- the suite ends here */
