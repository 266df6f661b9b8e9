import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '@tenure/process';
import { type RevocationEntry, type RevocationStore } from '@tenure/shared-state';
import { type Poller } from './poller.js';
import { createRevocationList, type RevocationList } from './revocation-list.js';
import { watchStore } from './sources.js';

const logger = createLogger('test', 'fatal', { write: () => undefined });
const soon = (): number => Math.floor(Date.now() / 1000) + 3600;
const entry = (id: string, until = soon()): RevocationEntry => ({
  id,
  user_id: id,
  issued_before: 1_800_000_000,
  until,
});

let kept: Map<string, RevocationEntry>;
let isWritable: boolean;
let pollers: Poller[];
const store: RevocationStore = {
  add: (each) => {
    if (!isWritable) return Promise.reject(new Error('read only'));
    kept.set(each.id, each);
    return Promise.resolve();
  },
  list: () => Promise.resolve([...kept.values()]),
};
function watch(): RevocationList {
  const list = createRevocationList();
  pollers.push(watchStore(store, { list, everyMs: 5, logger }));
  return list;
}
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(5);
}
beforeEach(() => {
  kept = new Map();
  isWritable = true;
  pollers = [];
});
afterEach(() => {
  for (const poller of pollers) poller.stop();
});

describe('what operators revoked', () => {
  it('is given back to a store that lost it, for a gateway that starts later', async () => {
    kept.set('olga', entry('olga'));
    const first = watch();
    await until(() => first.size() === 1);
    kept.clear();
    await until(() => kept.has('olga'));
    const second = watch();
    await until(() => second.size() === 1);
    expect([...kept.keys()]).toEqual(['olga']);
  });

  it('is not given back after its time', async () => {
    const list = watch();
    kept.set('past', entry('past', 1));
    kept.set('olga', entry('olga'));
    await until(() => list.size() > 0);
    kept.clear();
    await until(() => kept.has('olga'));
    expect([...kept.keys()]).toEqual(['olga']);
  });

  it('is read also where nothing can be written', async () => {
    kept.set('olga', entry('olga'));
    const list = watch();
    await until(() => list.size() === 1);
    kept.clear();
    isWritable = false;
    await until(() => kept.size === 0);
    kept.set('theo', entry('theo'));
    await until(() => list.size() === 2);
    expect(pollers[0]?.lag()).toBeLessThan(60);
  });
});
