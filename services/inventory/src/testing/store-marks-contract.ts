import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type OpenStore } from '../ports/open-store.js';
import { migrated } from './empty-stores.js';
import { makeNode, uuidOf } from './fixtures.js';

/**
 * The contract of every adapter for the mark in a store.
 * @param open opens an empty database
 * @param openAgain opens the same database once more, as another process would
 */
export function storeMarksContract(
  open: () => OpenStore | Promise<OpenStore>,
  openAgain: () => OpenStore | Promise<OpenStore>,
): void {
  let store: OpenStore;
  let other: OpenStore;
  beforeEach(async () => {
    store = await open();
    other = await openAgain();
  });
  afterEach(async () => {
    await store.stores.close();
    await other.stores.close();
  });

  it('is none at first, and not made by being read', async () => {
    expect(await store.marks.read()).toBeUndefined();
    expect(await other.marks.read()).toBeUndefined();
    expect(await store.schema.read()).toBeUndefined();
    expect(await store.schema.hasData()).toBe(false);
  });

  it('keeps its identity while its marker grows, for every process', async () => {
    const first = await store.marks.advance(1);
    expect(first).toEqual({ identity: expect.stringMatching(/^[0-9a-f-]{36}$/u), marker: 1 });
    expect(await other.marks.advance(2 ** 32)).toEqual({ ...first, marker: 2 ** 32 + 1 });
    expect(await store.marks.read()).toEqual({ ...first, marker: 2 ** 32 + 1 });
  });

  it('never gives the same marker to two of many at once', async () => {
    const marks = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? store : other).marks.advance(1)),
    );
    const markers = marks.map(({ marker }) => marker).sort((a, b) => a - b);
    expect(markers).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect(new Set(marks.map(({ identity }) => identity)).size).toBe(1);
  });

  it('leaves the version and the records of the store alone', async () => {
    await migrated(store.schema);
    const node = await store.stores.nodes.insert((epoch) => makeNode({ uuid: uuidOf(1) }, epoch));
    const version = await store.schema.read();
    await store.marks.advance(1);
    expect(await other.schema.read()).toEqual(version);
    expect(await other.stores.nodes.findBy('uuid', uuidOf(1))).toEqual(node);
  });
}
