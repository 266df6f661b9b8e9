import { Counter, type Logger, type Registry } from '@tenure/process';
import { BUDGET_NAMES, type BudgetName } from '../domain/budgets.js';
import { limitsOf, type QuotaStores } from './budgets/quotas.js';
import { everyRecord } from './every-record.js';
import { counted, gauge } from './fleet-metrics.js';

/** The fraction of a budget above which an account counts as near its limit. */
const NEARLY = 0.8;

type Numbers = Record<BudgetName, number>;

/**
 * Metrics of budgets, without a label by project, because the number of projects is unbounded.
 * @returns counts a write that a budget refused
 */
export function measureBudgets(
  registry: Registry,
  stores: QuotaStores,
  logger: Logger,
): (budget: BudgetName) => void {
  gauge(
    registry,
    {
      name: 'tenure_inventory_quota_used',
      help: 'Used amount of a budget, over all projects and users.',
      label: 'budget',
    },
    counted(() => usedInAll(stores), logger),
  );
  gauge(
    registry,
    {
      name: 'tenure_inventory_quota_near_limit',
      help: 'Projects and users that have used more than 80 % of a budget.',
      label: 'budget',
    },
    counted(() => nearLimit(stores), logger),
  );
  const refusals = new Counter({
    name: 'tenure_inventory_quota_refusals_total',
    help: 'Writes refused because they would exceed a budget.',
    labelNames: ['budget'],
    registers: [registry],
  });
  return (budget) => {
    refusals.inc({ budget });
  };
}

async function usedInAll({ usage }: QuotaStores): Promise<Numbers> {
  const sums = nothing();
  for await (const { used } of everyRecord(usage))
    for (const name of BUDGET_NAMES) sums[name] += used[name] ?? 0;
  return sums;
}

async function nearLimit(stores: QuotaStores): Promise<Numbers> {
  const sums = nothing();
  for await (const { uuid, used } of everyRecord(stores.usage)) {
    const limitOf = await limitsOf(stores, uuid);
    for (const name of BUDGET_NAMES) {
      const { limit } = limitOf(name);
      const amount = used[name] ?? 0;
      if (limit !== null && amount > 0 && amount > limit * NEARLY) sums[name] += 1;
    }
  }
  return sums;
}

const nothing = (): Numbers => Object.fromEntries(BUDGET_NAMES.map((name) => [name, 0])) as Numbers; // of every name
