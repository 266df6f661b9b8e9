import { beforeEach, describe, expect, it } from '@jest/globals';
import { type FailureCounter } from '@tenure/shared-state';
import { createFailedLogins, type FailedLogins } from './failed-logins.js';

let counts: Map<string, number>;
let isAway: boolean;
const shared: FailureCounter = {
  count: (name) =>
    isAway ? Promise.reject(new Error('away')) : Promise.resolve(counts.get(name) ?? 0),
  add: (name) => {
    if (isAway) return Promise.reject(new Error('away'));
    counts.set(name, (counts.get(name) ?? 0) + 1);
    return Promise.resolve();
  },
};
const replica = (): FailedLogins => createFailedLogins(() => 0, shared);
async function fail(times: number, address: string, ...at: readonly FailedLogins[]) {
  for (let time = 0; time < times; time += 1) await at[time % at.length]?.failed(address);
}
beforeEach(() => {
  counts = new Map();
  isAway = false;
});

describe('failed logins at several replicas', () => {
  it('count together, for one address', async () => {
    const [one, two] = [replica(), replica()];
    await fail(9, 'a', one, two);
    expect(await one.waitFor('a')).toBe(0);
    await two.failed('a');
    expect([await one.waitFor('a'), await two.waitFor('a')]).toEqual([60, 60]);
    expect(await one.waitFor('b')).toBe(0);
  });

  it('count together, for everybody', async () => {
    const [one, two] = [replica(), replica()];
    for (let address = 0; address < 50; address += 1) await fail(2, String(address), one, two);
    expect(await one.waitFor('new')).toBe(60);
  });

  it('count at each of them while the shared counter is unavailable', async () => {
    isAway = true;
    const [one, two] = [replica(), replica()];
    await fail(10, 'a', one);
    expect([await one.waitFor('a'), await two.waitFor('a')]).toEqual([60, 0]);
  });
});
