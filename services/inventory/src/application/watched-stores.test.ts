import { describe, expect, it } from '@jest/globals';
import { ConflictError, UnavailableError } from '@tenure/contracts';
import { type Stores } from '../ports/stores.js';
import { memoryStores } from '../testing/empty-stores.js';
import { EVERYTHING, makeNode } from '../testing/fixtures.js';
import { watchedStores } from './watched-stores.js';

const lost = new UnavailableError('The store did not answer in time.');

/** Watched stores over an empty one, and what was reported of them. */
async function reporting(changed: Partial<Stores> = {}) {
  const reports: unknown[] = [];
  const stores = watchedStores(
    { ...(await memoryStores()), ...changed },
    { wrote: () => reports.push('wrote'), failed: (error) => reports.push(error) },
  );
  return { stores, reports };
}

describe('watched stores', () => {
  it('report writes that succeed, and no reads', async () => {
    const { stores, reports } = await reporting();
    const node = await stores.nodes.insert((epoch) => makeNode({}, epoch));
    await stores.nodes.list(EVERYTHING);
    await stores.clock();
    expect(reports).toEqual(['wrote']);
    await stores.nodes.remove(node.uuid, node.revision, node.revision);
    expect(reports).toEqual(['wrote', 'wrote']);
  });

  it('report an operation that fails, whatever is the matter, and throw its error', async () => {
    const { stores, reports } = await reporting();
    const taken = new ConflictError('duplicate', 'There is one.');
    const refusing = stores.nodes.insert(() => {
      throw taken;
    });
    await expect(refusing).rejects.toBe(taken);
    expect(reports).toEqual([taken]);
  });

  it('report that the clock of the store does not answer', async () => {
    const { stores, reports } = await reporting({ clock: () => Promise.reject(lost) });
    await expect(stores.clock()).rejects.toBe(lost);
    expect(reports).toEqual([lost]);
  });
});
