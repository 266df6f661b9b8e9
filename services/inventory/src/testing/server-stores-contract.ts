/* eslint-disable max-lines-per-function -- a suite, long as test files are */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type NewServer } from '@tenure/contracts';
import { type Condition } from '../ports/record-store.js';
import { type Stores } from '../ports/stores.js';
import { EVERYTHING, uuidOf } from './fixtures.js';
import { newServer } from './server-fixtures.js';

/** The contract of every adapter for servers and key pairs. `makeStores` gives empty stores. */
export function serverStoresContract(makeStores: () => Promise<Stores>): void {
  let stores: Stores;

  beforeEach(async () => {
    stores = await makeStores();
  });
  afterEach(() => stores.close());

  const add = (number: number, values: Partial<NewServer> = {}) =>
    stores.servers.insert((epoch) => ({
      ...newServer(number, values),
      revision: epoch,
      tenancy_revision: epoch,
    }));
  const found = async (where: readonly Condition[]) =>
    (await stores.servers.list({ ...EVERYTHING, where })).map(({ uuid }) => Number(uuid.slice(-6)));

  it('a server comes back as it was written, and is written over at its revision only', async () => {
    const written = await add(1);
    expect(await stores.servers.findBy('uuid', uuidOf(1))).toEqual(written);
    const after = { ...written, name: 'other', revision: written.revision + 1 };
    expect(await stores.servers.swap(after, written.revision + 3)).toBe(false);
    expect(await stores.servers.swap(after, written.revision)).toBe(true);
    expect(await stores.servers.findBy('name', 'other')).toEqual(after);
  });

  it('several servers may have one name', async () => {
    await add(1, { name: 'same' });
    await add(2, { name: 'same' });
    expect(await found([{ field: 'name', op: 'eq', value: 'same' }])).toEqual([1, 2]);
  });

  it('a server that is made again with the uuid of a removed one has larger numbers', async () => {
    const first = await add(1);
    await stores.servers.remove(uuidOf(1), first.revision, first.revision);
    const second = await add(1);
    expect(second.tenancy_revision).toBeGreaterThan(first.tenancy_revision);
  });

  it('servers are found by project, by what is being done with them, and by their tags', async () => {
    await add(1, { task_state: 'spawning', tags: ['web', 'blue'] });
    await add(2, { project_id: 'p-b', tags: ['web'] });
    await add(3, { status: 'SHUTOFF', locked_by: 'owner' });
    const ofB = await stores.servers.list({
      ...EVERYTHING,
      anyOf: [{ field: 'project_id', value: 'p-b' }],
    });
    expect(ofB.map(({ uuid }) => uuid)).toEqual([uuidOf(2)]);
    expect(await found([{ field: 'task_state', op: 'not_null' }])).toEqual([1]);
    expect(await found([{ field: 'tags', op: 'has_all', values: ['web'] }])).toEqual([1, 2]);
    expect(await found([{ field: 'tags', op: 'has_all', values: ['blue', 'web'] }])).toEqual([1]);
    expect(await found([{ field: 'status', op: 'in', values: ['SHUTOFF', 'ERROR'] }])).toEqual([3]);
    expect(await found([{ field: 'locked_by', op: 'null' }])).toEqual([1, 2]);
  });

  it('a user has a key pair of a name once, and another user one of the same name', async () => {
    const pair = (number: number, user: string) =>
      stores.keypairs.insert((epoch) => ({
        uuid: uuidOf(number),
        user_id: user,
        name: 'mine',
        type: 'ssh',
        public_key: 'ssh-ed25519 AAAA',
        fingerprint: 'aa:bb',
        created_at: '2026-11-21T08:00:00+00:00',
        revision: epoch,
      }));
    await pair(1, 'ann');
    await pair(2, 'ben');
    await expect(pair(3, 'ann')).rejects.toMatchObject({ field: 'user_id, name' });
    const ofBen = await stores.keypairs.list({
      ...EVERYTHING,
      where: [{ field: 'user_id', op: 'eq', value: 'ben' }],
    });
    expect(ofBen.map(({ uuid }) => uuid)).toEqual([uuidOf(2)]);
  });
}
/* eslint-enable max-lines-per-function -- the suite ends here */
