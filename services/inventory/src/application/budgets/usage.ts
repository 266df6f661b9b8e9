import { UnavailableError } from '@tenure/contracts';
import { createLimiterByKey } from '@tenure/process';
import {
  assertWithin,
  type BudgetName,
  type Charges,
  minus,
  OverBudgetError,
  plus,
} from '../../domain/budgets.js';
import { type UsageRecord } from '../../ports/budget-records.js';
import { insertedUnlessThere, untilWritten } from '../until-written.js';
import { type Bill } from './bills.js';
import { limitsOf, type QuotaStores } from './quotas.js';

const TRIES = 30;

/** A bill, and the number of recounts when it was made: a credit that follows a later recount has no effect. */
export interface Receipt extends Bill {
  readonly recounts: number;
}

/**
 * Usage of accounts. Never less than the cost of their records: an amount is reserved before a record is written, and
 * credited after it is removed (docs/adr/0025).
 */
export interface Usage {
  /**
   * Reserves amounts in the budgets of an account.
   * @throws OverBudgetError unless it is forced; UnavailableError
   */
  readonly reserve: (bill: Bill, options: { readonly isForced: boolean }) => Promise<Receipt>;
  /** Call it before the record is removed that `credit` is for. */
  readonly receiptFor: (bill: Bill) => Promise<Receipt>;
  /** Credits amounts. A failed credit leaves the account charged until the next recount. */
  readonly credit: (receipt: Receipt) => Promise<void>;
}

export interface UsageDependencies {
  readonly stores: QuotaStores;
  readonly now: () => Date;
  readonly onRefused: (budget: BudgetName) => void;
}

type NextUsage = (before: UsageRecord | undefined) => UsageRecord | undefined;

/** Creates the usage of accounts in a store. */
export function createUsage({ stores, now, onRefused }: UsageDependencies): Usage {
  // One change of an account at a time in this process; compare-and-swap resolves conflicts with other processes only.
  const oneAtATime = createLimiterByKey({ atOnce: 1 });
  const changeUsage = (account: string, next: NextUsage): Promise<UsageRecord> =>
    oneAtATime(account, () => untilWritten(TRIES, () => writeOnce(stores, account, next), beaten));
  const reserve: Usage['reserve'] = async ({ account, charges }, { isForced }) => {
    if (isNothing(charges)) return { account, charges, recounts: 0 };
    const limitOf = await limitsOf(stores, account);
    try {
      const { recounts } = await changeUsage(account, (before) => {
        const { used, ...rest } = before ?? emptyUsage(account);
        if (!isForced) assertWithin(used, charges, (name) => limitOf(name).limit);
        return { ...rest, used: plus(used, charges), reserved_at: now().getTime() };
      });
      return { account, charges, recounts };
    } catch (error) {
      if (error instanceof OverBudgetError) onRefused(error.budget);
      throw error;
    }
  };
  return {
    reserve,
    receiptFor: async ({ account, charges }) => {
      const found = isNothing(charges) ? undefined : await stores.usage.findBy('uuid', account);
      return { account, charges, recounts: found?.recounts ?? 0 };
    },
    credit: async ({ account, charges, recounts }) => {
      if (isNothing(charges)) return;
      try {
        await changeUsage(account, (before) =>
          before?.recounts === recounts
            ? { ...before, used: minus(before.used, charges) }
            : undefined,
        );
      } catch {
        // The record is removed already, so the request must not fail: the next recount corrects the difference.
      }
    },
  };
}

async function writeOnce(
  { usage }: QuotaStores,
  account: string,
  next: NextUsage,
): Promise<UsageRecord | undefined> {
  const before = await usage.findBy('uuid', account);
  const after = next(before);
  const current = before ?? emptyUsage(account);
  if (after === undefined) return current;
  if (before !== undefined) {
    const written = { ...after, revision: before.revision + 1 };
    return (await usage.swap(written, before.revision)) ? written : undefined;
  }
  return insertedUnlessThere(usage.insert((epoch) => ({ ...after, revision: epoch })));
}

const beaten = (): UnavailableError =>
  new UnavailableError('The usage is being changed by many others; please retry.');

const isNothing = (charges: Charges): boolean => Object.keys(charges).length === 0;

const emptyUsage = (account: string): UsageRecord => ({
  uuid: account,
  used: {},
  reserved_at: 0,
  recounts: 0,
  revision: 0,
});
