import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type CallContext, type PolicyFilter, type ServerRecord } from '@tenure/contracts';
import { newCallContext } from '@tenure/signed-context';
import { ALL, NONE, withProject } from '@tenure/testing';
import { server, task } from '../../services/compute/src/testing/servers.js';
import { INVENTORIES, type TestedInventory } from '../support/inventories.js';

// The contract of the inventory with the compute service: of the inventory's program, and of the fake in its tests.

const uuidOf = (number: number): string =>
  `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const NOT_FOUND = { status: 404, code: 'not_found' };
const CHANGED = { status: 409, code: 'revision_conflict' };
const STALE = {
  ...{ status: 412, code: 'tenancy_changed' },
  headers: { 'X-Tenure-Stale': 'tenancy' },
};

function under(filter: PolicyFilter): CallContext {
  const context = newCallContext('os_compute_api:servers:index');
  return { ...context, obligations: { ...context.obligations, filter } };
}
const CONTEXT = under(ALL);

describe.each(INVENTORIES)('the inventory %s, for the compute service', (_name, open) => {
  let inventory: TestedInventory;
  beforeEach(async () => {
    inventory = await open();
  });
  afterEach(() => inventory.close());

  const create = (number: number, values: Partial<ServerRecord> = {}): Promise<ServerRecord> =>
    inventory.servers.create(server({ uuid: uuidOf(number), node_uuid: null, ...values }), CONTEXT);

  it('has a server as it was created, and only one of a uuid', async () => {
    const created = await create(1);
    expect(created).toEqual({
      ...server({ uuid: uuidOf(1), node_uuid: null }),
      ...{ revision: 1, tenancy_revision: 1 },
    });
    expect(await inventory.servers.find(uuidOf(1), CONTEXT)).toEqual(created);
    await expect(create(1)).rejects.toMatchObject({ status: 409, code: 'duplicate' });
  });

  it('answers 404 for a server that is missing', async () => {
    const missing = await create(1);
    await inventory.servers.remove(missing, CONTEXT);
    const { servers } = inventory;
    await expect(servers.find(uuidOf(1), CONTEXT)).rejects.toMatchObject({
      ...NOT_FOUND,
      message: `Server ${uuidOf(1)} could not be found.`,
    });
    await expect(servers.update(missing, { name: 'x' }, CONTEXT)).rejects.toMatchObject(NOT_FOUND);
    await expect(servers.remove(missing, CONTEXT)).rejects.toMatchObject(NOT_FOUND);
  });

  it('refuses a decision that was made on another server of the same uuid', async () => {
    const made = await create(1);
    const resources = [{ type: 'server', uuid: made.uuid, tenancy_revision: 9 }];
    const stale = { ...CONTEXT, resources };
    const { servers } = inventory;
    await expect(servers.find(made.uuid, stale)).rejects.toMatchObject(STALE);
    await expect(servers.update(made, { name: 'x' }, stale)).rejects.toMatchObject(STALE);
    await expect(servers.remove(made, stale)).rejects.toMatchObject(STALE);
  });

  it('writes and removes a server over the revision that was seen only', async () => {
    const first = await create(1);
    const second = await inventory.servers.update(first, { name: 'x', task: task() }, CONTEXT);
    expect(second).toEqual({ ...first, name: 'x', task: task(), revision: 2 });
    await expect(inventory.servers.update(first, { name: 'y' }, CONTEXT)).rejects.toMatchObject(
      CHANGED,
    );
    await expect(inventory.servers.remove(first, CONTEXT)).rejects.toMatchObject(CHANGED);
    expect(await inventory.servers.find(uuidOf(1), CONTEXT)).toEqual(second);
    await inventory.servers.remove(second, CONTEXT);
  });

  it('has one winner among those that write at once', async () => {
    const made = await create(1);
    const results = await Promise.allSettled(
      ['a', 'b', 'c'].map((name) => inventory.servers.update(made, { name }, CONTEXT)),
    );
    const lost = results.filter(({ status }) => status === 'rejected');
    expect(lost).toMatchObject([{ reason: CHANGED }, { reason: CHANGED }]);
  });

  describe('a list of servers', () => {
    beforeEach(async () => {
      await create(3, { project_id: 'p-1' });
      await create(1, { project_id: 'p-2', status: 'ERROR' });
      await create(2, { project_id: 'p-1', task_state: 'scheduling', status: 'BUILD' });
    });

    const list = async (query: Readonly<Record<string, string>>, limit = 9, filter = ALL) => {
      const page = await inventory.servers.list(query, limit, under(filter));
      const numbers = page.servers.map(({ uuid }: ServerRecord) => Number(uuid.slice(-12)));
      return [numbers, page.more];
    };

    it('has what every condition holds for, in the order of creation', async () => {
      expect(await list({ sort_dir: 'asc' })).toEqual([[3, 1, 2], false]);
      expect(await list({ sort_dir: 'asc', project_id: 'p-1' })).toEqual([[3, 2], false]);
      expect(await list({ sort_dir: 'asc', pending: 'true' })).toEqual([[2], false]);
      expect(await list({ sort_dir: 'asc', pending: 'false' })).toEqual([[3, 1], false]);
      expect(await list({ sort_dir: 'asc', status: 'ERROR,BUILD' })).toEqual([[1, 2], false]);
    });

    it('goes on after a marker, and says whether there is more', async () => {
      expect(await list({ sort_dir: 'asc' }, 2)).toEqual([[3, 1], true]);
      expect(await list({ sort_dir: 'asc', marker: uuidOf(1) }, 2)).toEqual([[2], false]);
    });

    it('has what the policy lets a caller see', async () => {
      const own = withProject('p-2', 'project_id');
      expect(await list({}, 9, own)).toEqual([[1], false]);
      expect(await list({}, 9, NONE)).toEqual([[], false]);
      for (const marker of [uuidOf(3), uuidOf(404)])
        await expect(list({ marker }, 9, own)).rejects.toMatchObject(NOT_FOUND);
    });
  });
});
