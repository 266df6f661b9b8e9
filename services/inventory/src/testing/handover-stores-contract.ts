import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { aHandover } from '@tenure/contracts/testing';
import { allWhere } from '../application/all-where.js';
import { DuplicateValueError } from '../ports/record-store.js';
import { type StoredHandover, type Stores } from '../ports/stores.js';
import { makeNode, uuidOf } from './fixtures.js';

/** The contract of every adapter for handovers. `makeStores` gives empty stores. */
export function handoverStoresContract(makeStores: () => Promise<Stores>): void {
  let stores: Stores;

  beforeEach(async () => {
    stores = await makeStores();
  });
  afterEach(() => stores.close());

  const add = (number: number, fields: Partial<StoredHandover> = {}) =>
    stores.handovers.insert((epoch) => handover(number, epoch, fields));

  it('a handover comes back as it was written, and is found by node, status and lease', async () => {
    const written = await add(1, { lease_uuid: uuidOf(7) });
    await add(2, { node_uuid: uuidOf(2), status: 'complete', number: 1 });
    expect(await stores.handovers.findBy('uuid', uuidOf(1))).toEqual(written);
    for (const [field, value] of [
      ['node_uuid', uuidOf(1)],
      ['status', 'open'],
      ['lease_uuid', uuidOf(7)],
    ] as const)
      expect(await stores.handovers.list(allWhere({ field, op: 'eq', value }))).toEqual([written]);
  });

  it('two handovers of a node have no number in common; any number of them has none', async () => {
    await add(1, { number: 1 });
    await add(2);
    await add(3);
    await add(4, { node_uuid: uuidOf(2), number: 1 });
    await expect(add(5, { number: 1 })).rejects.toThrow(DuplicateValueError);
    const third = handover(3, 1, { number: 2 });
    const found = await stores.handovers.findBy('uuid', uuidOf(3));
    const revision = (found?.revision ?? 0) + 1;
    expect(await stores.handovers.swap({ ...third, revision }, revision - 1)).toBe(true);
    const numbered = await stores.handovers.list(
      allWhere(
        { field: 'node_uuid', op: 'eq', value: uuidOf(1) },
        { field: 'number', op: 'eq', value: 2 },
      ),
    );
    expect(numbered.map(({ uuid }) => uuid)).toEqual([uuidOf(3)]);
  });

  it('nodes that are handed over are found, and no others', async () => {
    await stores.nodes.insert((epoch) => makeNode({ uuid: uuidOf(1) }, epoch));
    await stores.nodes.insert((epoch) =>
      makeNode({ uuid: uuidOf(2), handover_uuid: uuidOf(9) }, epoch),
    );
    const found = await stores.nodes.list(allWhere({ field: 'handover_uuid', op: 'not_null' }));
    expect(found.map(({ uuid }) => uuid)).toEqual([uuidOf(2)]);
    expect((await stores.nodes.findBy('handover_uuid', uuidOf(9)))?.uuid).toBe(uuidOf(2));
  });
}

const handover = (
  number: number,
  epoch: number,
  fields: Partial<StoredHandover> = {},
): StoredHandover => ({
  ...aHandover({
    uuid: uuidOf(number),
    node_uuid: uuidOf(1),
    cause: 'undeploy',
    sealed: { extra: { a: 1 } },
    revision: epoch,
  }),
  ...fields,
});
