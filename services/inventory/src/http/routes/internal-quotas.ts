import { Type } from '@sinclair/typebox';
import { BadRequestError, limitIn, parse } from '@tenure/contracts';
import { onlyFrom } from '@tenure/http';
import { type Request, Router } from 'express';
import { allWhere } from '../../application/all-where.js';
import {
  accountState,
  type LimitChanges,
  limitsSetOn,
  type QuotaStores,
  setLimits,
} from '../../application/budgets/quotas.js';
import {
  BUDGET_NAMES,
  DEFAULT_ACCOUNT,
  projectAccount,
  userAccount,
} from '../../domain/budgets.js';
import { byReader } from '../by-reader.js';
import { pathPart, queryOf } from '../internal-query.js';

const Limit = Type.Union([
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  Type.Null(),
  Type.Literal('inherit'),
]);

const LimitsBody = Type.Object(
  {
    limits: Type.Object(
      Object.fromEntries(BUDGET_NAMES.map((name) => [name, Type.Optional(Limit)])),
      {
        additionalProperties: false,
        minProperties: 1,
      },
    ),
  },
  { additionalProperties: false },
);

const MAX_ID = 255;

const ACCOUNTS = [
  ['/internal/quotas/default', () => DEFAULT_ACCOUNT],
  ['/internal/quotas/projects/:id', (request: Request) => projectAccount(idIn(request))],
  ['/internal/quotas/users/:id', (request: Request) => userAccount(idIn(request))],
] as const;

/** Budgets of projects and users: usage and limits (docs/quotas.md), for `tenure quota`. */
export function internalQuotaRouter({ stores }: { readonly stores: QuotaStores }): Router {
  const router = Router({ caseSensitive: true });
  for (const [path, accountOf] of ACCOUNTS) {
    router.get(path, onlyFrom('cli'), async (request, response) => {
      response.json(await accountState(stores, accountOf(request)));
    });
    router.patch(path, onlyFrom('cli'), async (request, response) => {
      const { limits } = parse(LimitsBody, request.body, 'quota') as {
        readonly limits: LimitChanges; // the schema was made from the same names
      };
      const account = accountOf(request);
      await setLimits(stores, account, limits);
      response.json(await accountState(stores, account));
    });
  }
  // For gateways, which pass the limits to decision points.
  router.get(
    '/internal/quotas/audit',
    onlyFrom('gateway'),
    byReader,
    async (_request, response) => {
      response.json({ limits: await limitsSetOn(stores, 'audit_bytes_per_day') });
    },
  );
  router.get('/internal/quotas', onlyFrom('cli'), byReader, async (request, response) => {
    const { marker, limit } = queryOf(request, ['marker', 'limit']);
    if (marker !== undefined && (await stores.usage.findBy('uuid', marker)) === undefined)
      throw new BadRequestError('The marker is not an account.');
    const size = limitIn(limit);
    const found = await stores.usage.list({
      ...allWhere(),
      after: marker === undefined ? null : { uuid: marker, value: null },
      limit: size + 1,
    });
    const page = found.slice(0, size);
    const accounts = [];
    for (const { uuid, used } of page) accounts.push(await accountState(stores, uuid, used));
    response.json({ accounts, next: found.length > size ? (page.at(-1)?.uuid ?? null) : null });
  });
  return router;
}

function idIn(request: Request): string {
  const id = pathPart(request, 'id');
  if (id.length > MAX_ID)
    throw new BadRequestError(`The id is longer than ${String(MAX_ID)} characters.`);
  return id;
}
