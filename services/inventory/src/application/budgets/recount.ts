import { type NodeRecord } from '@tenure/contracts';
import { type Charges, plus } from '../../domain/budgets.js';
import { type UsageRecord } from '../../ports/budget-records.js';
import { type Stores } from '../../ports/stores.js';
import { everyRecord } from '../every-record.js';
import { insertedUnlessThere } from '../until-written.js';
import {
  allocationBill,
  type BillOf,
  CHARGED_SECTIONS,
  claimBill,
  keypairBill,
  leaseBill,
  nodeBill,
  resourceBill,
  serverBill,
} from './bills.js';

/**
 * Milliseconds after a reservation during which its write may still be in flight. A request has ten seconds; the rest allows
 * for clock skew between replicas.
 */
const QUIET_MS = 300_000;

type Listed<R extends { readonly uuid: string }> = Parameters<typeof everyRecord<R>>[0];

type NodePayer = Pick<NodeRecord, 'uuid' | 'owner' | 'charged_to'>;

type Sums = Map<string, Charges>;

interface Counting {
  readonly sums: Sums;
  readonly signal: AbortSignal | undefined;
}

/**
 * Counts the stored records and corrects the usage records. A process that was killed between two writes leaves an account
 * charged for a record that does not exist. An account with a recent reservation is left to the next recount. Safe
 * concurrently with requests and with recounts of other processes.
 * @param stores the uncharged stores
 * @returns how many accounts were corrected
 * @throws the signal's reason when it is aborted, before anything is corrected
 */
export async function recount(stores: Stores, now: Date, signal?: AbortSignal): Promise<number> {
  const before = await usageBefore(stores);
  const sums = await sumsOf(stores, signal);
  let corrected = 0;
  for (const account of new Set([...before.keys(), ...sums.keys()])) {
    const stored = before.get(account);
    const used = sums.get(account) ?? {};
    const isQuiet = stored === undefined || stored.reserved_at + QUIET_MS <= now.getTime();
    if (!isQuiet) continue;
    const isCorrected =
      stored === undefined
        ? await begin(stores, account, used)
        : await correct(stores, stored, used);
    if (isCorrected) corrected += 1;
  }
  return corrected;
}

async function usageBefore({ usage }: Stores): Promise<ReadonlyMap<string, UsageRecord>> {
  const found = new Map<string, UsageRecord>();
  for await (const record of everyRecord(usage)) found.set(record.uuid, record);
  return found;
}

async function sumsOf(stores: Stores, signal: AbortSignal | undefined): Promise<Sums> {
  const counting: Counting = { sums: new Map(), signal };
  await addAll(counting, stores.allocations, allocationBill);
  await addAll(counting, stores.leases, leaseBill);
  await addAll(counting, stores.servers, serverBill);
  await addAll(counting, stores.keypairs, keypairBill);
  await addAll(counting, stores.claims, claimBill);
  for (const section of CHARGED_SECTIONS)
    await addAll(counting, stores.resources[section], resourceBill(section));
  await addAll(counting, payersOfNodes(stores), nodeBill);
  return counting.sums;
}

/** For records that were stored before usage was counted, or imported by a process that died before it counted them. */
async function begin({ usage }: Stores, account: string, used: Charges): Promise<boolean> {
  const inserted = usage.insert((epoch) => ({
    uuid: account,
    used,
    reserved_at: 0,
    recounts: 1,
    revision: epoch,
  }));
  return (await insertedUnlessThere(inserted)) !== undefined;
}

/** @returns whether the stored usage differed and was corrected */
async function correct({ usage }: Stores, before: UsageRecord, used: Charges): Promise<boolean> {
  if (isSame(before.used, used)) return false;
  const after = { ...before, used, recounts: before.recounts + 1, revision: before.revision + 1 };
  return usage.swap(after, before.revision);
}

async function addAll<R extends { readonly uuid: string }>(
  { sums, signal }: Counting,
  store: Listed<R>,
  billOf: BillOf<R>,
): Promise<void> {
  for await (const record of everyRecord(store)) {
    signal?.throwIfAborted();
    const bill = billOf(record);
    if (bill !== undefined)
      sums.set(bill.account, plus(sums.get(bill.account) ?? {}, bill.charges));
  }
}

/** The nodes with only the fields that decide which account pays, because nodes are large. */
const payersOfNodes = ({ nodes }: Stores): Listed<NodePayer> => ({
  list: async (query) => {
    const { rows } = await nodes.page({ ...query, fields: ['owner', 'charged_to'] });
    return rows.map(({ uuid, owner = null, charged_to: project = null }) => ({
      uuid,
      owner,
      charged_to: project,
    }));
  },
});

const isSame = (one: Charges, other: Charges): boolean =>
  [...Object.entries(one), ...Object.entries(other)].every(
    ([name]) => (one[name as keyof Charges] ?? 0) === (other[name as keyof Charges] ?? 0), // its own keys
  );
