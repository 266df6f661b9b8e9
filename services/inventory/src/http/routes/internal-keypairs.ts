import {
  BadRequestError,
  limitIn,
  MAX_PAGE,
  NewKeypair,
  NotFoundError,
  parse,
} from '@tenure/contracts';
import { onlyFrom } from '@tenure/http';
import { Router } from 'express';
import { insertKeypair, removeKeypair } from '../../application/servers.js';
import { type Condition } from '../../ports/record-store.js';
import { type Stores } from '../../ports/stores.js';
import { byReader } from '../by-reader.js';
import { pathPart, queryOf } from '../internal-query.js';

/** Internal routes about key pairs, for the compute service. A list is always of one user. */
export function internalKeypairRouter({ stores }: { readonly stores: Stores }): Router {
  const router = Router({ caseSensitive: true });
  router.get('/internal/keypairs', onlyFrom('compute'), byReader, async (request, response) => {
    const query = queryOf(request, ['user_id', 'name', 'limit', 'marker']);
    const { user_id: user, name, marker } = query;
    if (user === undefined) throw new BadRequestError('user_id is required.');
    const ofUser: Condition = { field: 'user_id', op: 'eq', value: user };
    const called = (value: string) =>
      stores.keypairs.list({
        anyOf: null,
        where: [ofUser, { field: 'name', op: 'eq', value }],
        order: { field: null, descending: false },
        after: null,
        limit: 1,
      });
    if (name !== undefined) {
      response.json({ keypairs: await called(name) });
      return;
    }
    const [last] = marker === undefined ? [] : await called(marker);
    if (marker !== undefined && last === undefined) throw NotFoundError.of('Keypair', marker);
    const { rows, more } = await stores.keypairs.page({
      anyOf: null,
      where: [ofUser],
      order: { field: 'name', descending: false },
      after: last === undefined ? null : { uuid: last.uuid, value: last.name },
      limit: limitIn(query['limit'], MAX_PAGE + 1),
    });
    response.json({ keypairs: rows, more });
  });
  router.post('/internal/keypairs', onlyFrom('compute'), async (request, response) => {
    const fields = parse(NewKeypair, request.body, 'keypair');
    response.status(201).json(await insertKeypair(stores, fields));
  });
  router.delete('/internal/keypairs/:uuid', onlyFrom('compute'), async (request, response) => {
    await removeKeypair(stores, pathPart(request, 'uuid'));
    response.status(204).end();
  });
  return router;
}
