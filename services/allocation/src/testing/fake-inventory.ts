import {
  type AllocationRecord,
  type CallContext,
  ConflictError,
  fieldOf,
  NotFoundError,
  type PolicyFilter,
  UnavailableError,
} from '@tenure/contracts';
import {
  type AllocationPage,
  type AllocationQuery,
  type AllocationStore,
} from '../ports/allocation-store.js';
import { type CandidateQuery, type NodePool } from '../ports/node-pool.js';

/** A node as far as allocations are concerned. */
export interface FakeNode {
  readonly uuid: string;
  readonly name: string | null;
  readonly owner: string | null;
  readonly lessee: string | null;
  readonly resource_class: string;
  readonly traits: readonly string[];
  readonly provision_state: string;
  allocation_uuid: string | null;
}

export const fakeNode = (uuid: string, node: Partial<FakeNode> = {}): FakeNode => ({
  uuid,
  name: null,
  owner: null,
  lessee: null,
  resource_class: 'baremetal',
  traits: [],
  provision_state: 'available',
  allocation_uuid: null,
  ...node,
});

/** The inventory in memory: true compare-and-set, and every step takes a random moment. */
export interface FakeInventory extends AllocationStore, NodePool {
  readonly nodes: FakeNode[];
  readonly rows: Map<string, AllocationRecord>;
  /** Number of calls that fail as if the inventory were gone, before any takes effect. */
  failures: number;
  /** Claims whose effect happens and whose answer is lost. */
  lostClaims: number;
  /** Every call, in order. */
  readonly asked: { readonly name: string; readonly context: CallContext }[];
  /** Runs just before a claim. */
  beforeClaim: () => void;
}

type Row = Readonly<Record<string, unknown>>;

const isUnder = (row: Row, filter: PolicyFilter): boolean =>
  filter.mode === 'all' ||
  (filter.mode === 'any_of' && filter.predicates.some(({ field, value }) => row[field] === value));

const asRow = (value: object): Row => value as Row; // a view for looking up fields by name

const inOrder = (
  rows: readonly AllocationRecord[],
  { sort_key: key, sort_dir }: AllocationQuery,
): readonly AllocationRecord[] => {
  const compare = (a: AllocationRecord, b: AllocationRecord): number =>
    key === undefined ? 0 : String(fieldOf(a, key)).localeCompare(String(fieldOf(b, key)));
  const sorted = rows.toSorted(compare);
  return sort_dir === 'asc' ? sorted : sorted.toReversed();
};

interface World {
  readonly fake: Pick<
    FakeInventory,
    'nodes' | 'rows' | 'failures' | 'lostClaims' | 'asked' | 'beforeClaim'
  >;
  readonly step: (name: string, context: CallContext) => Promise<void>;
  readonly now: () => Date;
}

const rowOf = ({ fake }: World, uuid: string, filter?: PolicyFilter): AllocationRecord => {
  const row = fake.rows.get(uuid);
  if (row === undefined || (filter !== undefined && !isUnder(asRow(row), filter)))
    throw NotFoundError.of('Allocation', uuid);
  return row;
};

const write = (
  { fake, now }: World,
  row: AllocationRecord,
  set: Partial<AllocationRecord>,
): AllocationRecord => {
  const next = { ...row, ...set, revision: row.revision + 1, updated_at: now().toISOString() };
  fake.rows.set(row.uuid, next);
  return next;
};

const refuseDuplicate = ({ fake }: World, name: string | null, uuid: string): void => {
  if (name !== null && fake.rows.values().some((row) => row.name === name && row.uuid !== uuid))
    throw new ConflictError('duplicate', `An allocation with name ${name} already exists.`);
};

const listRows = (world: World, query: AllocationQuery, filter: PolicyFilter): AllocationPage => {
  if (query.marker !== undefined) rowOf(world, query.marker, filter);
  const conditions = (['node_uuid', 'resource_class', 'state', 'owner'] as const).filter(
    (field) => query[field] !== undefined,
  );
  const found = [...world.fake.rows.values()].filter(
    (row) =>
      isUnder(asRow(row), filter) && conditions.every((field) => row[field] === query[field]),
  );
  const all = inOrder(found, query);
  const from =
    query.marker === undefined ? 0 : all.findIndex(({ uuid }) => uuid === query.marker) + 1;
  return {
    allocations: all.slice(from, from + query.limit),
    more: all.length > from + query.limit,
  };
};

const allocationStore = (world: World): AllocationStore => ({
  create: async (draft, context) => {
    await world.step('create', context);
    if (world.fake.rows.has(draft.uuid))
      throw new ConflictError('duplicate', `An allocation with UUID ${draft.uuid} already exists.`);
    refuseDuplicate(world, draft.name, draft.uuid);
    const row: AllocationRecord = {
      ...draft,
      state: 'allocating',
      node_uuid: null,
      last_error: null,
      created_at: world.now().toISOString(),
      updated_at: null,
      revision: 1,
    };
    world.fake.rows.set(row.uuid, row);
    return row;
  },
  find: async (uuid, context) => {
    await world.step('find', context);
    return rowOf(world, uuid);
  },
  list: async (query, context) => {
    await world.step('list', context);
    return listRows(world, query, context.obligations.filter);
  },
  update: async (uuid, { expectedRevision, set }, context) => {
    await world.step('update', context);
    const row = rowOf(world, uuid);
    if (row.revision !== expectedRevision)
      throw new ConflictError('revision_conflict', 'it has changed');
    refuseDuplicate(world, set.name ?? null, uuid);
    return write(world, row, set);
  },
  remove: async (uuid, context) => {
    await world.step('remove', context);
    const row = rowOf(world, uuid);
    const node = world.fake.nodes.find((one) => one.uuid === row.node_uuid);
    if (node !== undefined && node.provision_state !== 'available')
      throw new ConflictError('node_in_use', `The node is ${node.provision_state}.`);
    if (node !== undefined) node.allocation_uuid = null;
    world.fake.rows.delete(uuid);
  },
});

const isFree = (node: FakeNode): boolean =>
  node.provision_state === 'available' && node.allocation_uuid === null;

const suits = (node: FakeNode, query: Omit<CandidateQuery, 'limit' | 'name'>): boolean =>
  isUnder(asRow(node), query.filter) &&
  (query.resource_class === null || node.resource_class === query.resource_class) &&
  (query.candidate_nodes.length === 0 || query.candidate_nodes.includes(node.uuid)) &&
  query.traits.every((trait) => node.traits.includes(trait));

const takeNode = (world: World, uuid: string, nodeUuid: string): AllocationRecord => {
  const row = rowOf(world, uuid);
  if (row.node_uuid !== null) return row;
  if (row.state !== 'allocating') throw new ConflictError('allocation_failed', 'it has ended');
  const node = world.fake.nodes.find((one) => one.uuid === nodeUuid);
  const filter = { ...row.candidate_filter, predicates: [...row.candidate_filter.predicates] };
  if (node === undefined || !isFree(node) || !suits(node, { ...row, filter }))
    throw new ConflictError('node_taken', 'the node is taken');
  node.allocation_uuid = uuid;
  return write(world, row, { state: 'active', node_uuid: nodeUuid, last_error: null });
};

const backfillNode = (world: World, uuid: string, nodeUuid: string): AllocationRecord => {
  const row = rowOf(world, uuid);
  const node = world.fake.nodes.find((one) => one.uuid === nodeUuid);
  if (node === undefined) throw NotFoundError.of('Node', nodeUuid);
  if (node.allocation_uuid !== null)
    throw new ConflictError('node_taken', `Node ${nodeUuid} is not available for this allocation.`);
  node.allocation_uuid = uuid;
  const resource_class = row.resource_class ?? node.resource_class;
  return write(world, row, { state: 'active', node_uuid: nodeUuid, resource_class });
};

const nodePool = (world: World): NodePool => ({
  candidates: async (query, context) => {
    await world.step('candidates', context);
    return world.fake.nodes
      .filter((node) => isFree(node) && suits(node, query))
      .filter(({ name }) => query.name === undefined || name === query.name)
      .slice(0, query.limit)
      .map(({ uuid }) => ({ uuid }));
  },
  resolve: async (idents, filter, context) => {
    await world.step('resolve', context);
    const found = idents.flatMap((ident) => {
      const node = world.fake.nodes.find(({ uuid, name }) => uuid === ident || name === ident);
      return node !== undefined && isUnder(asRow(node), filter) ? [{ ident, uuid: node.uuid }] : [];
    });
    return { found, missing: idents.filter((ident) => !found.some((hit) => hit.ident === ident)) };
  },
  claim: async (uuid, nodeUuid, context) => {
    await world.step('claim', context);
    world.fake.beforeClaim();
    const claimed = takeNode(world, uuid, nodeUuid);
    if (world.fake.lostClaims > 0) {
      world.fake.lostClaims -= 1;
      throw new UnavailableError('The inventory service did not answer.');
    }
    return claimed;
  },
  backfill: async (uuid, nodeUuid, context) => {
    await world.step('backfill', context);
    world.fake.beforeClaim();
    return backfillNode(world, uuid, nodeUuid);
  },
});

/** An inventory that holds `nodes`. */
export const createFakeInventory = (
  nodes: FakeNode[],
  options: { readonly maxDelayMs?: number; readonly now?: () => number } = {},
): FakeInventory => {
  const { maxDelayMs = 0, now = Date.now } = options;
  const fake: World['fake'] = {
    nodes,
    rows: new Map<string, AllocationRecord>(),
    failures: 0,
    lostClaims: 0,
    asked: [],
    beforeClaim: () => undefined,
  };
  const step = async (name: string, context: CallContext): Promise<void> => {
    fake.asked.push({ name, context });
    await new Promise((resolve) => {
      setTimeout(resolve, Math.random() * maxDelayMs);
    });
    if (fake.failures === 0) return;
    fake.failures -= 1;
    throw new UnavailableError('The inventory service did not answer.');
  };
  const world: World = { fake, step, now: () => new Date(now()) };
  // The same object, so that a test that sets `failures` is heard.
  return Object.assign(fake, allocationStore(world), nodePool(world));
};
