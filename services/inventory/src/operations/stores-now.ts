import { type NodeRecord, timestampOf } from '@tenure/contracts';
import { type ResourceSection } from '../domain/kinds/resource-kind.js';
import { isLesseeOver, nodeAt } from '../domain/lease-tenancy.js';
import { tenancyDiffers } from '../domain/node-record.js';
import { type CustodySigner } from '../ports/custody-signer.js';
import {
  type Alternatives,
  type Condition,
  type RecordQuery,
  type RecordStore,
  type StoredRecord,
  type Through,
} from '../ports/record-store.js';
import { type NodeStore, type Stores } from '../ports/stores.js';
import { settleClaims } from './claims.js';
import { keepOpening } from './handovers/keep-handover.js';

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

/** Makes the record of the handover that a node carries. */
type Keep = (node: NodeRecord) => Promise<unknown>;

const openingOf = (node: NodeRecord): string | undefined => node.custody?.opening?.uuid;

/**
 * Writes a node that carries a handover which has no record yet. One that the stored node carries is given its record
 * first: a node carries one at a time.
 */
const swapOpening = async (
  nodes: NodeStore,
  record: NodeRecord,
  expectedRevision: number,
  { keep, shown }: { readonly keep: Keep; readonly shown: (node: NodeRecord) => NodeRecord },
): Promise<boolean> => {
  const stored = await nodes.findBy('uuid', record.uuid);
  const isNew = (node: NodeRecord): boolean => openingOf(node) !== openingOf(record);
  const earlier = stored === undefined ? [] : [stored, shown(stored)].filter(isNew);
  for (const node of earlier) await keep(node);
  if (!(await nodes.swap(record, expectedRevision))) return false;
  // What is written is written: whoever needs the record next makes it.
  if (stored === undefined || isNew(stored)) await keep(record).catch(() => undefined);
  return true;
};

/** What goes with the writes of nodes. */
interface Along {
  readonly keep: Keep;
  /** Writes down whose the things on a machine are. */
  readonly settle: (nodeUuid: string) => Promise<void>;
}

const hasTenant = ({ owner, lessee }: NodeRecord): boolean => owner !== null || lessee !== null;

const nodesNow = (nodes: NodeStore, clock: Clock, { keep, settle }: Along): NodeStore => {
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
    swap: async (record, expectedRevision, before) => {
      if (isLesseeOver(record, clock())) return false;
      if (before !== undefined && hasTenant(before) && tenancyDiffers(before, record))
        await settle(record.uuid);
      return openingOf(record) === undefined
        ? nodes.swap(record, expectedRevision)
        : swapOpening(nodes, record, expectedRevision, { keep, shown });
    },
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
 * lessee, is as at this very moment, and every handover that opens has its record. Everything that answers a request works
 * on these.
 */
export const storesNow = (stores: Stores, now: () => Date, signer: CustodySigner): Stores => {
  const clock = (): string => timestampOf(now());
  const sections = Object.keys(stores.resources) as ResourceSection[]; // its own keys
  const keep: Keep = (node) => keepOpening({ stores: all, now, signer }, node);
  const settle: Along['settle'] = (uuid) => settleClaims({ stores: all }, uuid);
  const all: Stores = {
    ...stores,
    nodes: nodesNow(stores.nodes, clock, { keep, settle }),
    resources: Object.fromEntries(
      sections.map((section) => [section, hangingNow(stores.resources[section], clock)]),
    ) as unknown as Stores['resources'], // the same sections
  };
  return all;
};
