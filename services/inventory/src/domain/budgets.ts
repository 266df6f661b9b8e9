import { AppError } from '@tenure/contracts';

/** A limit for each account: a project, or a user for key pairs. */
export interface Budget {
  readonly unit: 'records' | 'bytes';
  /** The limit where no operator set one; null: no limit. */
  readonly limit: number | null;
  readonly about: string;
  /** False: the inventory stores the limit; decision points count and enforce it. */
  readonly isChecked: boolean;
}

const MEBIBYTE = 1024 * 1024;

const records = (limit: number, about: string): Budget => ({
  unit: 'records',
  limit,
  about,
  isChecked: true,
});

/** Every budget, with its built-in limit. */
export const BUDGETS = {
  allocations: records(2000, 'allocations of a project'),
  leases: records(2000, 'leases that a project granted and that have not ended'),
  servers: records(2000, 'servers of a project'),
  keypairs: records(100, 'key pairs of a user'),
  claims: records(10_000, 'VIFs, volumes and initiators claimed for a project'),
  volume_targets: records(4000, 'volume targets that a project created'),
  volume_connectors: records(4000, 'volume connectors that a project created'),
  ports: records(20_000, 'ports and port groups that a project created, or changed last'),
  nodes: records(2000, 'nodes that a project created for itself'),
  bytes: {
    unit: 'bytes',
    limit: 64 * MEBIBYTE,
    about: 'bytes of what a project wrote into these records',
    isChecked: true,
  },
  audit_bytes_per_day: {
    unit: 'bytes',
    limit: null,
    about: 'bytes of decision log a day, at each decision point',
    isChecked: false,
  },
} as const satisfies Readonly<Record<string, Budget>>;

export type BudgetName = keyof typeof BUDGETS;

export const BUDGET_NAMES = Object.keys(BUDGETS) as readonly BudgetName[]; // its own keys

/** Amounts by budget: the cost of a record, or the usage of an account. */
export type Charges = Readonly<Partial<Record<BudgetName, number>>>;

/** Limits by budget that an operator set; null: no limit. */
export type Limits = Readonly<Partial<Record<BudgetName, number | null>>>;

/** The account that holds the limits of every account without its own. */
export const DEFAULT_ACCOUNT = 'default';

/** The source of a limit: the account's own, the operator's default, or the built-in one. */
type LimitSource = 'own' | 'default' | 'built_in';

export interface EffectiveLimit {
  readonly limit: number | null;
  readonly source: LimitSource;
}

/** 403 for numbers of records, 413 for bytes: the write would exceed a budget of the account that pays for it. */
export class OverBudgetError extends AppError {
  readonly budget: BudgetName;

  constructor(budget: BudgetName, limit: number) {
    const isBytes = BUDGETS[budget].unit === 'bytes';
    super(
      'quota_exceeded',
      isBytes ? 413 : 403,
      `Quota exceeded for ${budget}: at most ${String(limit)}${isBytes ? ' bytes' : ''} may be stored.`,
    );
    this.budget = budget;
  }
}

export const projectAccount = (project: string): string => `project:${project}`;
export const userAccount = (user: string): string => `user:${user}`;

export function effectiveLimit(name: BudgetName, own: Limits, standard: Limits): EffectiveLimit {
  const mine = own[name];
  if (mine !== undefined) return { limit: mine, source: 'own' };
  const common = standard[name];
  if (common !== undefined) return { limit: common, source: 'default' };
  return { limit: BUDGETS[name].limit, source: 'built_in' };
}

/** The amounts to reserve before a record changes from `before` to `after`: the budgets that grow. */
export const growth = (before: Charges, after: Charges): Charges =>
  Object.fromEntries(
    entriesOf(after)
      .map(([name, amount]) => [name, amount - (before[name] ?? 0)] as const)
      .filter(([, amount]) => amount > 0),
  );

export const plus = (used: Charges, charges: Charges): Charges => ({
  ...used,
  ...Object.fromEntries(
    entriesOf(charges).map(([name, amount]) => [name, (used[name] ?? 0) + amount]),
  ),
});

/** Never less than 0. */
export const minus = (used: Charges, charges: Charges): Charges => ({
  ...used,
  ...Object.fromEntries(
    entriesOf(charges).map(([name, amount]) => [name, Math.max(0, (used[name] ?? 0) - amount)]),
  ),
});

/** @throws OverBudgetError for the first budget that the charges would exceed */
export function assertWithin(
  used: Charges,
  charges: Charges,
  limitOf: (name: BudgetName) => number | null,
): void {
  for (const [name, amount] of entriesOf(charges)) {
    const limit = limitOf(name);
    if (limit !== null && (used[name] ?? 0) + amount > limit)
      throw new OverBudgetError(name, limit);
  }
}

const entriesOf = (charges: Charges): readonly (readonly [BudgetName, number])[] =>
  Object.entries(charges) as (readonly [BudgetName, number])[]; // the keys of Charges
