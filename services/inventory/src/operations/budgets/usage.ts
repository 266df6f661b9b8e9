import { setTimeout as sleep } from 'node:timers/promises';
import { UnavailableError } from '@tenure/contracts';
import {
  assertWithin,
  type BudgetName,
  type Charges,
  minus,
  OverBudgetError,
  plus,
} from '../../domain/budgets.js';
import { type UsageRecord } from '../../ports/budget-records.js';
import { DuplicateValueError } from '../../ports/record-store.js';
import { type Bill } from './bills.js';
import { inTurn } from './in-turn.js';
import { limitsOf, type QuotaStores } from './quotas.js';

const TRIES = 30;

/** What an account pays for, and how often it had been counted then: what was given up before a recount is not credited after it. */
export interface Receipt extends Bill {
  readonly recounts: number;
}

/**
 * What accounts have used. Never less than what their records cost: a place is reserved before a record is written, and
 * given back after it is gone (docs/adr/0025).
 */
export interface Usage {
  /**
   * Takes places in the budgets of an account.
   * @throws OverBudgetError unless it is forced; UnavailableError
   */
  readonly reserve: (bill: Bill, options: { readonly isForced: boolean }) => Promise<Receipt>;
  /** To be had before a record is given up that is credited afterwards. */
  readonly receiptFor: (bill: Bill) => Promise<Receipt>;
  /** Gives places back. One that fails leaves the account charged until it is counted anew. */
  readonly credit: (receipt: Receipt) => Promise<void>;
}

export interface UsageDependencies {
  readonly stores: QuotaStores;
  readonly now: () => Date;
  readonly onRefused: (budget: BudgetName) => void;
}

const isNothing = (charges: Charges): boolean => Object.keys(charges).length === 0;

type NextUsage = (before: UsageRecord | undefined) => UsageRecord | undefined;

const emptyUsage = (account: string): UsageRecord => ({
  uuid: account,
  used: {},
  reserved_at: 0,
  recounts: 0,
  revision: 0,
});

const writeOnce = async (
  { usage }: QuotaStores,
  account: string,
  next: NextUsage,
): Promise<UsageRecord | undefined> => {
  const before = await usage.findBy('uuid', account);
  const after = next(before);
  const current = before ?? emptyUsage(account);
  if (after === undefined) return current;
  if (before !== undefined) {
    const written = { ...after, revision: before.revision + 1 };
    return (await usage.swap(written, before.revision)) ? written : undefined;
  }
  try {
    return await usage.insert((epoch) => ({ ...after, revision: epoch }));
  } catch (error) {
    if (error instanceof DuplicateValueError) return undefined;
    throw error;
  }
};

/** Compare and set until it is written: in one process one after the other, between processes with short pauses. */
const changeUsage = (stores: QuotaStores, account: string, next: NextUsage): Promise<UsageRecord> =>
  inTurn(stores.usage, account, async () => {
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      const written = await writeOnce(stores, account, next);
      if (written !== undefined) return written;
      await sleep(Math.random() * 3 * attempt);
    }
    throw new UnavailableError('The usage is being changed by many others; please retry.');
  });

/** What accounts have used, in a store. */
export const createUsage = ({ stores, now, onRefused }: UsageDependencies): Usage => {
  const reserve: Usage['reserve'] = async ({ account, charges }, { isForced }) => {
    if (isNothing(charges)) return { account, charges, recounts: 0 };
    const limitOf = await limitsOf(stores, account);
    try {
      const { recounts } = await changeUsage(stores, account, (before) => {
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
        await changeUsage(stores, account, (before) =>
          before?.recounts === recounts
            ? { ...before, used: minus(before.used, charges) }
            : undefined,
        );
      } catch {
        // The record is gone, and the answer must not be a failure: the next recount finds the difference.
      }
    },
  };
};
