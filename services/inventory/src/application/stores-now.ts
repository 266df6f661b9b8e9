import { type NodeRecord, timestampOf } from '@tenure/contracts';
import { holderOf } from '../domain/custody.js';
import { type ResourceSection } from '../domain/kinds/resource-kind.js';
import { isLesseeOver, nodeAt } from '../domain/lease-tenancy.js';
import { tenancyDiffers } from '../domain/node-record.js';
import { type CustodySigner } from '../ports/custody-signer.js';
import {
  type Alternatives,
  type Condition,
  type PageQuery,
  type RecordPage,
  type RecordQuery,
  type RecordStore,
  type StoredRecord,
  type Through,
} from '../ports/record-store.js';
import { type NodeStore, type Stores } from '../ports/stores.js';
import { recordProjects } from './claims.js';
import { recordOpening } from './handovers/record-handover.js';
import { removeVolumes } from './handovers/tenant-attachments.js';

type Clock = () => string;

interface Following {
  /** Makes the record of the handover that a node carries. */
  readonly recordOpening: (node: NodeRecord) => Promise<unknown>;
  /** Removes the volumes that a lessee attached to its node. */
  readonly removeVolumes: (uuid: string, lessee: string) => Promise<unknown>;
  /** Records the projects of the external resources on a node. */
  readonly recordClaims: (uuid: string) => Promise<void>;
}

/** Dependencies beside the stores. */
interface StoresNow {
  readonly now: () => Date;
  readonly signer: CustodySigner;
  /** Claims for Tenure's own writes, which no budget refuses: a handover does not depend on a tenant's budget. */
  readonly systemClaims?: Stores['claims'];
}

/**
 * The stores, in which no lease lasts longer than it should: every node that is read, and every list that is narrowed by
 * lessee, is as at this very moment, and every handover that opens has its record. Everything that answers a request works
 * on these.
 */
export function storesNow(
  stores: Stores,
  { now, signer, systemClaims = stores.claims }: StoresNow,
): Stores {
  const clock = (): string => timestampOf(now());
  const sections = Object.keys(stores.resources) as ResourceSection[]; // its own keys
  const following: Following = {
    recordOpening: (node) => recordOpening({ stores: all, now, signer }, node),
    removeVolumes: (uuid, lessee) => removeVolumes(all, uuid, lessee),
    recordClaims: (uuid) => recordProjects({ stores: { ...all, claims: systemClaims } }, uuid),
  };
  const all: Stores = {
    ...stores,
    nodes: nodesNow(stores.nodes, clock, following),
    resources: Object.fromEntries(
      sections.map((section) => [section, nodeRecordsNow(stores.resources[section], clock)]),
    ) as unknown as Stores['resources'], // the same sections
  };
  return all;
}

function nodesNow(nodes: NodeStore, clock: Clock, following: Following): NodeStore {
  const current = (node: NodeRecord): NodeRecord => nodeAt(node, clock());
  return {
    ...nodes,
    findBy: async (field, value) => {
      const node = await nodes.findBy(field, value);
      return node === undefined ? undefined : current(node);
    },
    list: async (query) => {
      const found = await nodes.list(restrictionNow<RecordQuery>(query, clock()));
      return found.map(current);
    },
    page: (query) => pageNow(nodes, query, clock()),
    // The node was read before the end of the lease, so the decision is stale: fails as if a concurrent write had won.
    swap: async (record, expectedRevision, before) => {
      if (isLesseeOver(record, clock())) return false;
      if (before !== undefined && holderOf(before) !== null && tenancyDiffers(before, record))
        await following.recordClaims(record.uuid);
      return openingOf(record) === undefined
        ? nodes.swap(record, expectedRevision)
        : swapOpening(nodes, record, expectedRevision, { ...following, current });
    },
    merge: (incoming, combine) =>
      nodes.merge(incoming, (existing, one, epoch) =>
        combine(existing === undefined ? undefined : current(existing), one, epoch),
      ),
  };
}

/** For records of nodes: conditions on the lessee of the node apply to its lessee at this moment. */
function nodeRecordsNow<R extends StoredRecord>(
  store: RecordStore<R>,
  clock: Clock,
): RecordStore<R> {
  const narrowed = <Q extends RecordQuery>(query: Q): Q =>
    query.through === undefined
      ? query
      : { ...query, through: restrictionNow(query.through, clock()) };
  return {
    ...store,
    list: (query) => store.list(narrowed(query)),
    page: (query) => store.page(narrowed(query)),
  };
}

const restrictionNow = <R extends Through>(restriction: R, now: string): R => ({
  ...restriction,
  anyOf: anyOfNow(restriction.anyOf, now),
  where: whereNow(restriction.where, now),
});

/**
 * A page of nodes at the current time. The end of a lease changes several fields, so a page with a node whose lease has ended
 * without a write yet is read again with whole records.
 */
async function pageNow(
  nodes: NodeStore,
  query: PageQuery,
  now: string,
): Promise<RecordPage<NodeRecord>> {
  const { fields, ...whole } = restrictionNow<PageQuery>(query, now);
  const found = await nodes.page({
    ...whole,
    ...(fields !== undefined && { fields: [...fields, 'lessee_until'] }),
  });
  if (
    !found.rows.some(({ lessee_until: until = null }) => isLesseeOver({ lessee_until: until }, now))
  )
    return found;
  const { rows, more } = fields === undefined ? found : await nodes.page(whole);
  return { rows: rows.map((node) => nodeAt(node as NodeRecord, now)), more }; // read whole
}

const openingOf = (node: NodeRecord): string | undefined => node.custody?.opening?.uuid;

/**
 * Writes a node that carries a handover which has no record yet. One that the stored node carries is given its record
 * first: a node carries one at a time.
 */
async function swapOpening(
  nodes: NodeStore,
  record: NodeRecord,
  expectedRevision: number,
  {
    recordOpening,
    removeVolumes,
    current,
  }: Following & { readonly current: (node: NodeRecord) => NodeRecord },
): Promise<boolean> {
  const stored = await nodes.findBy('uuid', record.uuid);
  const isNew = (node: NodeRecord): boolean => openingOf(node) !== openingOf(record);
  const earlier = stored === undefined ? [] : [stored, current(stored)].filter(isNew);
  for (const node of earlier) await recordOpening(node);
  if (!(await nodes.swap(record, expectedRevision))) return false;
  // The write has succeeded. A record that is not created now is created by its next reader.
  if (stored === undefined || isNew(stored)) await recordOpening(record).catch(() => undefined);
  // Its handover is open already, with the instance that it went with.
  else if (stored.lessee !== null && stored.lessee !== record.lessee)
    await removeVolumes(record.uuid, stored.lessee).catch(() => undefined);
  return true;
}

const anyOfNow = (anyOf: Alternatives, now: string): Alternatives =>
  anyOf?.map((one) =>
    one.field === 'lessee' ? { ...one, and: [...(one.and ?? []), stillCounts(now)] } : one,
  ) ?? null;

/** A condition on the lessee is one on a lessee whose lease has not ended. */
const whereNow = (where: readonly Condition[], now: string): readonly Condition[] =>
  where.some(({ field }) => field === 'lessee') ? [...where, stillCounts(now)] : where;

const stillCounts = (now: string): Condition => ({
  field: 'lessee_until',
  op: 'null_or_above',
  value: now,
});
