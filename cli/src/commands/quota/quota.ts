import { type Static, Type } from '@sinclair/typebox';
import { parse } from '@tenure/contracts';
import { type CommandContext } from '../../terminal/command-context.js';
import { tableLines } from '../../terminal/table.js';
import {
  allRows,
  type InventoryClient,
  type InventoryOptions,
  withInventory,
} from '../inventory-client.js';

const Account = Type.Object({
  account: Type.String(),
  budgets: Type.Array(
    Type.Object({
      name: Type.String(),
      unit: Type.Union([Type.Literal('records'), Type.Literal('bytes')]),
      checked: Type.Boolean(),
      used: Type.Integer(),
      limit: Type.Union([Type.Integer(), Type.Null()]),
      source: Type.Union([Type.Literal('own'), Type.Literal('default'), Type.Literal('built_in')]),
    }),
  ),
});
type Account = Static<typeof Account>;
const Page = Type.Object({
  accounts: Type.Array(Account),
  next: Type.Union([Type.String(), Type.Null()]),
});

const PAGE_ROWS = 500;

/** The account, as named on the command line. */
export interface AccountOptions {
  readonly user?: string | undefined;
  readonly default?: boolean;
}

const SOURCES = { own: 'own', default: 'default', built_in: 'built in' } as const;

const HEAD = ['ACCOUNT', 'BUDGET', 'USED', 'LIMIT', 'SET'] as const;

interface Printing extends InventoryOptions {
  readonly json?: boolean;
}

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** `tenure quota show`: usage and limit of every budget, for one account or for all with stored records. */
export async function showQuota(
  project: string | undefined,
  options: AccountOptions & Printing & { readonly all?: boolean },
  context: CommandContext,
): Promise<void> {
  const { all: isAll } = options;
  if (isAll === true && project !== undefined)
    throw new Error('--all excludes PROJECT, --user and --default');
  const target = isAll === true ? undefined : pathOf(project, options);
  const accounts = await withInventory(options, async (client) =>
    target === undefined
      ? everyAccount(client)
      : [parse(Account, await client.call('GET', target), 'quota')],
  );
  print(accounts, options, context);
}

/** `tenure quota set`: changes limits, and prints the resulting ones. */
export async function setQuota(
  args: readonly string[],
  options: AccountOptions & Printing,
  context: CommandContext,
): Promise<void> {
  const isNamed = options.user !== undefined || options.default === true;
  const [project, ...others] = args;
  const target = pathOf(isNamed ? undefined : project, options);
  const limits = limitsIn(isNamed ? args : others);
  const answer = await withInventory(options, (client) => client.call('PATCH', target, { limits }));
  print([parse(Account, answer, 'quota')], options, context);
}

function pathOf(project: string | undefined, { user, default: isDefault }: AccountOptions): string {
  const named = [project, user, isDefault === true ? 'default' : undefined];
  if (named.filter((one) => one !== undefined).length !== 1)
    throw new Error('give one of PROJECT, --user ID and --default');
  if (project !== undefined) return `/internal/quotas/projects/${encodeURIComponent(project)}`;
  if (user !== undefined) return `/internal/quotas/users/${encodeURIComponent(user)}`;
  return '/internal/quotas/default';
}

const everyAccount = (client: InventoryClient): Promise<readonly Account[]> =>
  allRows(client, '/internal/quotas', { limit: String(PAGE_ROWS) }, (answer) => {
    const { accounts: rows, next } = parse(Page, answer, 'page of quotas');
    return { rows, next };
  });

function print(accounts: readonly Account[], { json }: Printing, context: CommandContext): void {
  context.stdout.answer({ json, document: accounts, lines: () => table(accounts) });
}

const table = (accounts: readonly Account[]): readonly string[] =>
  tableLines([HEAD, ...accounts.flatMap(rowsOf)]);

const rowsOf = ({ account, budgets }: Account): readonly (readonly string[])[] =>
  budgets.map(({ name, used, limit, source, checked }) => [
    account,
    name,
    checked ? String(used) : '-',
    limitText({ limit, source, checked }),
    checked ? SOURCES[source] : `${SOURCES[source]} (counted by the decision points)`,
  ]);

/** The inventory does not count this budget: its built-in limit is that of each decision point. */
function limitText({
  limit,
  source,
  checked,
}: Pick<Account['budgets'][number], 'checked' | 'limit' | 'source'>): string {
  if (limit !== null) return String(limit);
  return !checked && source === 'built_in' ? '-' : 'unlimited';
}

function limitsIn(
  assignments: readonly string[],
): Readonly<Record<string, number | null | 'inherit'>> {
  if (assignments.length === 0) throw new Error('give at least one NAME=VALUE');
  return Object.fromEntries(
    assignments.map((one) => {
      const [, name, value] = /^([a-z_]{1,64})=(.+)$/u.exec(one) ?? [];
      if (name === undefined || value === undefined) throw new Error(`${one}: is not NAME=VALUE`);
      return [name, limitIn(value)];
    }),
  );
}

function limitIn(text: string): number | null | 'inherit' {
  if (text === 'unlimited') return null;
  if (text === 'default') return 'inherit';
  const [, digits, unit = ''] = /^([0-9]{1,15})([kmg]?)$/iu.exec(text) ?? [];
  const limit = Number(digits) * (UNITS[unit.toLowerCase()] ?? Number.NaN);
  if (!Number.isSafeInteger(limit))
    throw new Error(`${text}: give a whole number (10, 64M), unlimited or default`);
  return limit;
}
