import { UnavailableError } from '@tenure/contracts';
import {
  BUDGET_NAMES,
  type BudgetName,
  BUDGETS,
  type Charges,
  DEFAULT_ACCOUNT,
  type EffectiveLimit,
  effectiveLimit,
  type Limits,
} from '../../domain/budgets.js';
import { type Stores } from '../../ports/stores.js';
import { allWhere } from '../all-where.js';
import { insertedUnlessThere, untilWritten } from '../until-written.js';

export type QuotaStores = Pick<Stores, 'quotas' | 'usage'>;

const TRIES = 10;

/** One budget of an account in the operator's view. */
interface BudgetState extends EffectiveLimit {
  readonly name: BudgetName;
  readonly unit: 'records' | 'bytes';
  /** False: decision points count and enforce it; the inventory stores the limit. */
  readonly checked: boolean;
  readonly used: number;
}

export interface AccountState {
  readonly account: string;
  readonly budgets: readonly BudgetState[];
}

/** New limits: a number, null for no limit, or `inherit` for the default. */
export type LimitChanges = Readonly<Partial<Record<BudgetName, number | null | 'inherit'>>>;

/** The effective limits of an account: its own, else the operator's default, else the built-in one. */
export async function limitsOf(
  stores: QuotaStores,
  account: string,
): Promise<(name: BudgetName) => EffectiveLimit> {
  const standard = await limitsIn(stores, DEFAULT_ACCOUNT);
  const own = account === DEFAULT_ACCOUNT ? {} : await limitsIn(stores, account);
  return (name) => effectiveLimit(name, own, standard);
}

/** The budgets of an account, also of one without stored records. */
export async function accountState(
  stores: QuotaStores,
  account: string,
  used?: Charges,
): Promise<AccountState> {
  const limitOf = await limitsOf(stores, account);
  const usedNow = used ?? (await stores.usage.findBy('uuid', account))?.used ?? {};
  return {
    account,
    budgets: BUDGET_NAMES.map((name) => ({
      name,
      unit: BUDGETS[name].unit,
      checked: BUDGETS[name].isChecked,
      used: usedNow[name] ?? 0,
      ...limitOf(name),
    })),
  };
}

/**
 * Sets limits of an account, or of all accounts without their own. Records above a limit stay.
 * @throws UnavailableError after too many concurrent changes
 */
export async function setLimits(
  stores: QuotaStores,
  account: string,
  changes: LimitChanges,
): Promise<void> {
  await untilWritten(
    TRIES,
    () => writeOnce(stores, account, changes),
    () => new UnavailableError('The limits are being changed by many others; please retry.'),
  );
}

/**
 * The limits of one budget that operators set, by account: `default`, `project:<id>` or `user:<id>`; null: no limit. For
 * parts that count a budget that the inventory does not count.
 */
export async function limitsSetOn(
  { quotas }: Pick<QuotaStores, 'quotas'>,
  name: BudgetName,
): Promise<Readonly<Record<string, number | null>>> {
  const all = await quotas.list(allWhere());
  return Object.fromEntries(
    all.flatMap(({ uuid, limits: { [name]: limit } }) =>
      limit === undefined ? [] : [[uuid, limit] as const],
    ),
  );
}

const limitsIn = async ({ quotas }: QuotaStores, account: string): Promise<Limits> =>
  (await quotas.findBy('uuid', account))?.limits ?? {};

async function writeOnce(
  { quotas }: QuotaStores,
  account: string,
  changes: LimitChanges,
): Promise<true | undefined> {
  const before = await quotas.findBy('uuid', account);
  const limits = changed(before?.limits ?? {}, changes);
  const written =
    before === undefined
      ? await insertedUnlessThere(
          quotas.insert((epoch) => ({ uuid: account, limits, revision: epoch })),
        )
      : await quotas.swap({ ...before, limits, revision: before.revision + 1 }, before.revision);
  return written === undefined || written === false ? undefined : true;
}

const changed = (limits: Limits, changes: LimitChanges): Limits =>
  Object.fromEntries(
    Object.entries({ ...limits, ...changes }).filter(([, limit]) => limit !== 'inherit'),
  );
