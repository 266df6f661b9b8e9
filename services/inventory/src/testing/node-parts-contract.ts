/* eslint-disable max-lines-per-function -- a suite, long as test files are */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type NodeRecord } from '@tenure/contracts';
import { allWhere } from '../application/all-where.js';
import { keepDocument } from '../application/node-documents.js';
import {
  historyOf,
  keepLatestEvent,
  MAX_ENTRIES,
  recordEvent,
} from '../application/node-history.js';
import { type Stores } from '../ports/stores.js';
import { makeNode, uuidOf } from './fixtures.js';

/** The contract of every adapter for the documents and the history of a node. `makeStores` gives empty stores. */
export function nodePartsContract(makeStores: () => Promise<Stores>): void {
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

  it('a document of a node that was removed is not kept', async () => {
    await expect(
      keepDocument({ stores, now }, uuidOf(1), 'bios', { settings: [] }),
    ).rejects.toMatchObject({ status: 404 });
    expect(await stores.nodeDocuments.findBy('uuid', `${uuidOf(1)}:bios`)).toBeUndefined();
  });

  const entryOf = (event: string) => ({
    severity: 'INFO' as const,
    event,
    event_type: null,
    conductor: 'c1',
    user: null,
  });
  const recordOn = (node: NodeRecord, event: string) =>
    recordEvent({ stores, now }, node.uuid, entryOf(event));

  it('a history is one node’s, oldest first, and forgets what is too old', async () => {
    const node = await add(1, null);
    const other = await add(2, null);
    await recordOn(other, 'x');
    for (let number = 1; number <= MAX_ENTRIES + 2; number += 1)
      await recordOn(node, `event ${String(number)}`);
    const entries = await historyOf(stores, node);
    expect(entries).toHaveLength(300);
    expect(entries[0]).toMatchObject({ event: 'event 3' });
    expect(entries.at(-1)).toMatchObject({ event: 'event 302' });
    expect(await historyOf(stores, other)).toHaveLength(1);
  });

  it('the event that a node carries is entered once, whoever comes across it', async () => {
    const node = await add(1, null);
    const latest = { ...entryOf('moved'), uuid: uuidOf(7), number: 1, created_at: 'then' };
    const carrying = { ...node, latest_event: latest };
    await keepLatestEvent(stores.nodeHistory, carrying);
    await Promise.all([
      keepLatestEvent(stores.nodeHistory, carrying),
      historyOf(stores, carrying),
      historyOf(stores, carrying),
    ]);
    expect(await historyOf(stores, carrying)).toEqual([
      {
        ...entryOf('moved'),
        uuid: uuidOf(7),
        created_at: 'then',
        node_uuid: node.uuid,
        revision: 1,
      },
    ]);
  });

  it('events of changes are trimmed now and then, and never returned beyond the newest', async () => {
    const node = await add(1, null);
    const carrying = (number: number) => ({
      ...node,
      latest_event: {
        ...entryOf(`move ${String(number)}`),
        uuid: uuidOf(number),
        number,
        created_at: 'then',
      },
    });
    for (let number = 1; number <= 330; number += 1)
      await keepLatestEvent(stores.nodeHistory, carrying(number));
    const all = { field: 'node_uuid', op: 'eq', value: node.uuid } as const;
    // 320 is the last multiple of 16: then 20 were removed, and ten came after.
    expect(await stores.nodeHistory.list(allWhere(all))).toHaveLength(310);
    const entries = await historyOf(stores, carrying(330));
    expect(entries).toHaveLength(300);
    expect(entries[0]).toMatchObject({ event: 'move 31' });
  });

  it('no event is recorded of a node that was removed', async () => {
    await expect(recordEvent({ stores, now }, uuidOf(1), entryOf('x'))).rejects.toMatchObject({
      status: 404,
    });
  });
}
/* eslint-enable max-lines-per-function -- the suite ends here */
