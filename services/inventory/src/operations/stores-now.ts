import { type NodeRecord, timestampOf } from '@tenure/contracts';
import { type ResourceSection } from '../domain/kinds/resource-kind.js';
import { isLesseeOver, nodeAt } from '../domain/lease-tenancy.js';
import {
  type Alternatives,
  type Condition,
  type RecordQuery,
  type RecordStore,
  type StoredRecord,
  type Through,
} from '../ports/record-store.js';
import { type NodeStore, type Stores } from '../ports/stores.js';

const stillCounts = (now: string): Condition => ({
  field: 'lessee_until',
  op: 'null_or_above',
  value: now,
});

/** A condition on the lessee is one on a lessee whose lease has not ended. */
const whereNow = (where: readonly Condition[], now: string): readonly Condition[] =>
  where.some(({ field }) => field === 'lessee') ? [...where, stillCounts(now)] : where;

const anyOfNow = (anyOf: Alternatives, now: string): Alternatives =>
  anyOf?.map((one) =>
    one.field === 'lessee' ? { ...one, and: [...(one.and ?? []), stillCounts(now)] } : one,
  ) ?? null;

const restrictionNow = <R extends Through>(restriction: R, now: string): R => ({
  ...restriction,
  anyOf: anyOfNow(restriction.anyOf, now),
  where: whereNow(restriction.where, now),
});

type Clock = () => string;

const nodesNow = (nodes: NodeStore, clock: Clock): NodeStore => {
  const shown = (node: NodeRecord): NodeRecord => nodeAt(node, clock());
  return {
    ...nodes,
    findBy: async (field, value) => {
      const node = await nodes.findBy(field, value);
      return node === undefined ? undefined : shown(node);
    },
    list: async (query) => {
      const found = await nodes.list(restrictionNow<RecordQuery>(query, clock()));
      return found.map(shown);
    },
    // It was read before the end, and whatever was decided on it is stale: as if another had been quicker.
    swap: async (record, expectedRevision) =>
      !isLesseeOver(record, clock()) && nodes.swap(record, expectedRevision),
    merge: (incoming, combine) =>
      nodes.merge(incoming, (existing, one, epoch) =>
        combine(existing === undefined ? undefined : shown(existing), one, epoch),
      ),
  };
};

/** Of what hangs on nodes: the nodes are found by their lessee as it is now. */
const hangingNow = <R extends StoredRecord>(
  store: RecordStore<R>,
  clock: Clock,
): RecordStore<R> => ({
  ...store,
  list: (query) =>
    store.list(
      query.through === undefined
        ? query
        : { ...query, through: restrictionNow(query.through, clock()) },
    ),
});

/**
 * The stores, in which no lease lasts longer than it should: every node that is read, and every list that is narrowed by
 * lessee, is as at this very moment. Everything that answers a request works on these.
 */
export const storesNow = (stores: Stores, now: () => Date): Stores => {
  const clock = (): string => timestampOf(now());
  const sections = Object.keys(stores.resources) as ResourceSection[]; // its own keys
  return {
    ...stores,
    nodes: nodesNow(stores.nodes, clock),
    resources: Object.fromEntries(
      sections.map((section) => [section, hangingNow(stores.resources[section], clock)]),
    ) as unknown as Stores['resources'], // the same sections
  };
};
