import { type Charges, growth } from '../../domain/budgets.js';
import {
  DuplicateValueError,
  type RecordStore,
  type StoredRecord,
} from '../../ports/record-store.js';
import { type Bill, type BillOf } from './bills.js';
import { type Receipt, type Usage } from './usage.js';

export interface Charging<R> {
  readonly usage: Usage;
  readonly billOf: BillOf<R>;
  /** Whether Tenure itself writes: such writes are counted and never refused. */
  readonly isForced: boolean;
}

type Charged<R extends StoredRecord> = Charging<R> & { readonly store: RecordStore<R> };

/** A store that charges its records to accounts, and refuses a write above a budget before it is written. */
export function chargedStore<R extends StoredRecord>(
  store: RecordStore<R>,
  charging: Charging<R>,
): RecordStore<R> {
  const charged: Charged<R> = { ...charging, store };
  return {
    ...store,
    insert: (build) => insert(charged, build),
    swap: (record, expectedRevision) => swap(charged, record, expectedRevision),
    remove: (uuid, expectedRevision, minEpoch) => remove(charged, uuid, expectedRevision, minEpoch),
    merge: (incoming, combine) => merge(charged, incoming, combine),
  };
}

async function insert<R extends StoredRecord>(
  { store, usage, billOf, isForced }: Charged<R>,
  build: (epoch: number) => R,
): Promise<R> {
  const bill = billOf(build(0)); // no bill depends on the epoch
  const receipt = bill === undefined ? undefined : await usage.reserve(bill, { isForced });
  try {
    return await store.insert(build);
  } catch (error) {
    // After any other error the outcome is unknown: the record stays charged until the next recount.
    if (receipt !== undefined && error instanceof DuplicateValueError) await usage.credit(receipt);
    throw error;
  }
}

async function swap<R extends StoredRecord>(
  { store, usage, billOf, isForced }: Charged<R>,
  record: R,
  expectedRevision: number,
): Promise<boolean> {
  const stored = await current(store, record.uuid, expectedRevision);
  if (stored === undefined) return false;
  const [before, after] = [billOf(stored), billOf(record)];
  const more = increase(before, after);
  const less = increase(after, before);
  const receipts: Receipt[] = [];
  const reserved = more === undefined ? undefined : await usage.reserve(more, { isForced });
  if (less !== undefined) receipts.push(await usage.receiptFor(less));
  const giveBack = async (receipt: Receipt | undefined): Promise<void> => {
    if (receipt !== undefined) await usage.credit(receipt);
  };
  try {
    const isWritten = await store.swap(record, expectedRevision);
    await (isWritten ? Promise.all(receipts.map(giveBack)) : giveBack(reserved));
    return isWritten;
  } catch (error) {
    if (error instanceof DuplicateValueError) await giveBack(reserved);
    throw error;
  }
}

async function remove<R extends StoredRecord>(
  { store, usage, billOf }: Charged<R>,
  uuid: string,
  expectedRevision: number,
  minEpoch: number,
): Promise<boolean> {
  const stored = await current(store, uuid, expectedRevision);
  const bill = stored === undefined ? undefined : billOf(stored);
  const receipt = bill === undefined ? undefined : await usage.receiptFor(bill);
  const isRemoved = await store.remove(uuid, expectedRevision, minEpoch);
  if (isRemoved && receipt !== undefined) await usage.credit(receipt);
  return isRemoved;
}

/** Imports belong to the operator: additions are counted afterwards, and the next recount corrects removals. */
async function merge<R extends StoredRecord>(
  { store, usage, billOf }: Charged<R>,
  incoming: readonly R[],
  combine: (existing: R | undefined, incoming: R, epoch: number) => R,
): Promise<void> {
  const added = new Map<string, Bill | undefined>();
  await store.merge(incoming, (existing, one, epoch) => {
    const result = combine(existing, one, epoch);
    const before = existing === undefined ? undefined : billOf(existing);
    added.set(result.uuid, increase(before, billOf(result))); // a repeated try replaces it
    return result;
  });
  for (const bill of sumByAccount([...added.values()]))
    await usage.reserve(bill, { isForced: true });
}

/** The stored record, if it has the expected revision. */
async function current<R extends StoredRecord>(
  store: RecordStore<R>,
  uuid: string,
  expectedRevision: number,
): Promise<R | undefined> {
  const found = await store.findBy('uuid', uuid);
  return found?.revision === expectedRevision ? found : undefined;
}

/** The additional cost of `after` to its account. */
const increase = (before: Bill | undefined, after: Bill | undefined): Bill | undefined =>
  after === undefined
    ? undefined
    : {
        account: after.account,
        charges: growth(chargesFor(before, after.account), after.charges),
      };

const chargesFor = (bill: Bill | undefined, account: string): Charges =>
  bill?.account === account ? bill.charges : {};

/** One bill for each account. */
function sumByAccount(bills: readonly (Bill | undefined)[]): readonly Bill[] {
  const sums = new Map<string, Record<string, number>>();
  for (const bill of bills) {
    if (bill === undefined) continue;
    const sum = sums.get(bill.account) ?? {};
    sums.set(bill.account, sum);
    for (const [name, amount] of Object.entries(bill.charges))
      sum[name] = (sum[name] ?? 0) + amount;
  }
  return [...sums].map(([account, charges]) => ({ account, charges }));
}
