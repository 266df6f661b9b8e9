import {
  type AllocationRecord,
  type CallContext,
  ConflictError,
  fieldOf,
  NotFoundError,
} from '@tenure/contracts';
import {
  assertConditions,
  assertCurrent,
  type FakeRecords,
  isVisible,
  lockedError,
} from './records.js';

type Row = Pick<AllocationRecord, 'uuid'> & Partial<AllocationRecord>;

type Draft = Omit<
  AllocationRecord,
  'state' | 'node_uuid' | 'last_error' | 'created_at' | 'updated_at' | 'revision'
>;

const CONDITIONS = ['node_uuid', 'resource_class', 'state', 'owner'] as const;

interface Query extends Partial<Readonly<Record<(typeof CONDITIONS)[number], string>>> {
  readonly limit: number;
  readonly fields?: readonly string[];
  readonly marker?: string;
  readonly sort_key?: string;
  readonly sort_dir: 'asc' | 'desc';
}

/** An allocation stays its owner's for as long as it exists. */
const TENANCY = { tenancy_revision: 1 };

const duplicate = (which: string): ConflictError =>
  new ConflictError('duplicate', `An allocation with ${which} already exists.`);

const rowOf = (record: AllocationRecord, fields: Query['fields']): Row =>
  fields === undefined
    ? record
    : {
        ...Object.fromEntries(fields.map((field) => [field, fieldOf(record, field)])),
        uuid: record.uuid,
      };

/** Allocations, as the allocation service reads and writes them. */
export class FakeAllocationStore {
  readonly #records: FakeRecords;

  constructor(records: FakeRecords) {
    this.#records = records;
  }

  async create(draft: Draft, context: CallContext): Promise<AllocationRecord> {
    const records = this.#records;
    await records.answer('create', context);
    if (records.allocations.has(draft.uuid)) throw duplicate(`UUID ${draft.uuid}`);
    assertNameFree(records, draft);
    const record: AllocationRecord = {
      ...draft,
      ...context.obligations.set,
      state: 'allocating',
      node_uuid: null,
      last_error: null,
      created_at: records.moment(),
      updated_at: null,
      revision: 1,
    };
    records.allocations.set(record.uuid, record);
    return record;
  }

  async find(uuid: string, context: CallContext): Promise<AllocationRecord> {
    await this.#records.answer('find', context);
    return allocationIn(this.#records, uuid, context);
  }

  async list(
    query: Query,
    context: CallContext,
  ): Promise<{ readonly allocations: readonly Row[]; readonly more: boolean }> {
    await this.#records.answer('list', context);
    const { limit, marker, fields } = query;
    const all = inOrder([...this.#records.allocations.values()], query).filter((row) =>
      isVisible(row, context.obligations.filter),
    );
    const from = all.findIndex(({ uuid }) => uuid === marker) + 1;
    if (marker !== undefined && from === 0) throw NotFoundError.of('Allocation', marker);
    const found = all
      .slice(from)
      .filter((row) => CONDITIONS.every((name) => [undefined, row[name]].includes(query[name])));
    return {
      allocations: found.slice(0, limit).map((row) => rowOf(row, fields)),
      more: found.length > limit,
    };
  }

  async update(
    uuid: string,
    change: { readonly expectedRevision: number; readonly set: Partial<AllocationRecord> },
    context: CallContext,
  ): Promise<AllocationRecord> {
    const { expectedRevision, set } = change;
    await this.#records.answer('update', context);
    const before = allocationIn(this.#records, uuid, context);
    assertConditions(before, context);
    if (before.revision !== expectedRevision)
      throw new ConflictError('revision_conflict', `Allocation ${uuid} was changed by another.`);
    assertNameFree(this.#records, { ...before, ...set });
    return writeAllocation(this.#records, before, set);
  }

  async remove(uuid: string, context: CallContext): Promise<void> {
    await this.#records.answer('remove', context);
    assertConditions(allocationIn(this.#records, uuid, context), context);
    releaseNode(this.#records, uuid);
    this.#records.allocations.delete(uuid);
  }
}

/** @throws NotFoundError; TenancyChangedError */
export function allocationIn(
  { allocations }: FakeRecords,
  uuid: string,
  context: CallContext,
): AllocationRecord {
  const found = allocations.get(uuid);
  if (found === undefined) throw NotFoundError.of('Allocation', uuid);
  assertCurrent({ uuid, ...TENANCY }, context);
  return found;
}

export function writeAllocation(
  records: FakeRecords,
  before: AllocationRecord,
  set: Partial<AllocationRecord>,
): AllocationRecord {
  const times = { revision: before.revision + 1, updated_at: records.moment() };
  const after = { ...before, ...set, ...times };
  records.allocations.set(after.uuid, after);
  return after;
}

function assertNameFree(
  { allocations }: FakeRecords,
  { uuid, name }: Pick<AllocationRecord, 'uuid' | 'name'>,
): void {
  if (name !== null && allocations.values().some((one) => one.name === name && one.uuid !== uuid))
    throw duplicate(`name ${name}`);
}

function inOrder(
  rows: readonly AllocationRecord[],
  { sort_key: key, sort_dir: direction }: Query,
): readonly AllocationRecord[] {
  const valueOf = (row: AllocationRecord): string => {
    const value = key === undefined ? undefined : fieldOf(row, key);
    return typeof value === 'string' ? value : '';
  };
  const sorted = rows.toSorted(
    (one, other) => Number(valueOf(one) > valueOf(other)) - Number(valueOf(one) < valueOf(other)),
  );
  return direction === 'asc' ? sorted : sorted.toReversed();
}

/** Releases the node that an allocation holds. @throws ConflictError `node_locked`, `node_in_use` */
function releaseNode(records: FakeRecords, uuid: string): void {
  const node = records.nodes
    .values()
    .find(({ allocation_uuid: allocation }) => allocation === uuid);
  if (node === undefined) return;
  if (node.reservation !== null) throw lockedError(node, ['reservation']);
  if (node.provision_state !== 'available' && !node.maintenance)
    throw new ConflictError('node_in_use', `The node is in state ${node.provision_state}.`);
  const { traits: _traits, ...instance_info } = node.instance_info;
  const instance_uuid = node.instance_uuid === uuid ? null : node.instance_uuid;
  records.write(node, { allocation_uuid: null, instance_uuid, instance_info });
}
