/* eslint-disable max-lines-per-function -- a suite, long as test files are */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { deregisterConductor, reportConductor } from '../application/conductors.js';
import { type StoredAllocation, type Stores } from '../ports/stores.js';
import { makeHandover } from './custody.js';
import { EVERYTHING, uuidOf } from './fixtures.js';

/** The contract of every adapter of the other stores. `makeStores` gives empty stores. */
export function otherStoresContract(makeStores: () => Promise<Stores>): void {
  let stores: Stores;

  beforeEach(async () => {
    stores = await makeStores();
  });
  afterEach(() => stores.close());

  it('an allocation comes back as it was written, and its name is taken', async () => {
    const written = await stores.allocations.insert((epoch) => allocation(1, epoch));
    expect(await stores.allocations.findBy('name', 'a1')).toEqual(written);
    const second = stores.allocations.insert((epoch) => ({ ...allocation(2, epoch), name: 'a1' }));
    await expect(second).rejects.toMatchObject({ field: 'name' });
  });

  it('allocations are listed by owner and by node', async () => {
    await stores.allocations.insert((epoch) => allocation(1, epoch));
    await stores.allocations.insert((epoch) => ({
      ...allocation(2, epoch),
      owner: 'p-b',
      node_uuid: uuidOf(7),
    }));
    const own = await stores.allocations.list({
      ...EVERYTHING,
      anyOf: [{ field: 'owner', value: 'p-a' }],
    });
    expect(own.map(({ uuid }) => uuid)).toEqual([uuidOf(1)]);
    const allocated = await stores.allocations.list({
      ...EVERYTHING,
      where: [{ field: 'node_uuid', op: 'eq', value: uuidOf(7) }],
    });
    expect(allocated.map(({ uuid }) => uuid)).toEqual([uuidOf(2)]);
  });

  it('a handover comes back as it was written, and is found by node, status and lease', async () => {
    const written = await stores.handovers.insert((epoch) => ({
      ...makeHandover(1, { sealed: { extra: { 'a.b': '$x' } } }),
      revision: epoch,
    }));
    await stores.handovers.insert((epoch) => ({
      ...makeHandover(2, { node_uuid: uuidOf(9), status: 'open', lease_uuid: null }),
      revision: epoch,
    }));
    expect(await stores.handovers.findBy('uuid', uuidOf(1))).toEqual(written);
    const found = async (field: string, value: string) =>
      (await stores.handovers.list({ ...EVERYTHING, where: [{ field, op: 'eq', value }] })).map(
        ({ uuid }) => uuid,
      );
    expect(await found('node_uuid', uuidOf(9))).toEqual([uuidOf(2)]);
    expect(await found('status', 'complete')).toEqual([uuidOf(1)]);
    expect(await found('lease_uuid', uuidOf(70))).toEqual([uuidOf(1)]);
  });

  it('handovers are listed by the projects that they name', async () => {
    for (const [number, from_project] of [
      [1, 'p-b'],
      [2, 'p-x'],
      [3, 'p-b'],
    ] as const)
      await stores.handovers.insert((epoch) => ({
        ...makeHandover(number, { from_project }),
        revision: epoch,
      }));
    const anyOf = [
      { field: 'from_project', value: 'p-b' },
      { field: 'owner', value: 'p-nobody' },
    ];
    const rows = await stores.handovers.list({ ...EVERYTHING, anyOf });
    expect(rows.map(({ uuid }) => uuid)).toEqual([uuidOf(1), uuidOf(3)]);
  });

  it('a heartbeat replaces the one before', async () => {
    const beat = (seen: number) => ({
      uuid: 'conductor-1',
      hostname: 'conductor-1',
      drivers: ['redfish'],
      conductor_group: '',
      seen_at: seen,
      revision: 0,
    });
    for (const seen of [1, 2])
      await stores.conductors.merge([beat(seen)], (existing, incoming) => ({
        ...incoming,
        revision: (existing?.revision ?? 0) + 1,
      }));
    expect(await stores.conductors.list(EVERYTHING)).toEqual([{ ...beat(2), revision: 2 }]);
  });

  it('a heartbeat after a deregistration has nothing of it, nor what the conductor no longer reports', async () => {
    const deps = {
      stores: { ...stores, clock: () => Promise.resolve(new Date('2026-11-21T08:00:00Z')) },
    };
    const report = { hostname: 'c1', drivers: ['redfish'], conductor_group: '' };
    await reportConductor(deps, {
      ...report,
      advertised_url: 'http://192.0.2.1:8183',
      interfaces: { redfish: {} },
    });
    const first = await stores.conductors.findBy('hostname', 'c1');
    await deregisterConductor(deps, 'c1');
    expect(await stores.conductors.findBy('hostname', 'c1')).toMatchObject({
      is_deregistered: true,
      deregistered_at: Date.UTC(2026, 10, 21, 8),
    });
    await reportConductor(deps, report);
    expect(await stores.conductors.findBy('hostname', 'c1')).toEqual({
      ...report,
      uuid: 'c1',
      created_at: first?.created_at,
      seen_at: Date.UTC(2026, 10, 21, 8),
      revision: (first?.revision ?? 0) + 2,
    });
  });

  it('a document keeps members of any name and depth, and is found by its node', async () => {
    const port = {
      uuid: uuidOf(1),
      node_uuid: uuidOf(2),
      address: '52:54:00:00:00:12',
      pxe_enabled: true,
      created_at: '2026-11-21T07:10:57+00:00',
      updated_at: null,
      revision: 1,
      local_link_connection: { switch_id: 'aa:bb', 'port.id': null },
      steps: [{ step: 'x', args: [] }],
    };
    await stores.resources.ports.insert(() => port);
    expect(
      await stores.resources.ports.list({
        ...EVERYTHING,
        where: [{ field: 'node_uuid', op: 'eq', value: uuidOf(2) }],
      }),
    ).toEqual([port]);
    expect(await stores.resources.chassis.list(EVERYTHING)).toEqual([]);
  });

  it('a store that is open has a clock, which goes on', async () => {
    const first = await stores.clock();
    expect(first).toBeInstanceOf(Date);
    expect((await stores.clock()).getTime()).toBeGreaterThanOrEqual(first.getTime());
  });

  it('a store that is open answers a ping', async () => {
    await expect(stores.ping()).resolves.toBeUndefined();
  });
}

const allocation = (number: number, epoch: number): StoredAllocation => ({
  uuid: uuidOf(number),
  name: `a${String(number)}`,
  owner: 'p-a',
  resource_class: 'baremetal',
  traits: ['T1'],
  candidate_nodes: [],
  extra: { 'a.b': true },
  state: 'allocating',
  node_uuid: null,
  last_error: null,
  created_at: '2026-11-21T07:10:57+00:00',
  updated_at: null,
  candidate_filter: { mode: 'any_of', predicates: [{ field: 'owner', op: 'eq', value: 'p-a' }] },
  revision: epoch,
  tenancy_revision: epoch,
});
/* eslint-enable max-lines-per-function -- the suite ends here */
