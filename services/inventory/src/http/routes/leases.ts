import { Type } from '@sinclair/typebox';
import { type ContextClaims, minorOf, parse, timestampOf } from '@tenure/contracts';
import { contextOf } from '@tenure/http';
import { type Request, type Response, Router } from 'express';
import { assertCurrent } from '../../application/change-node.js';
import { findNode } from '../../application/find-node.js';
import { createLease } from '../../application/leases/create-lease.js';
import { endLease } from '../../application/leases/end-lease.js';
import { type LeaseDependencies, namedLease } from '../../application/leases/find-lease.js';
import { type Cause } from '../../application/leases/lease-history.js';
import { updateLease } from '../../application/leases/update-lease.js';
import { LEASE } from '../../domain/kinds/lease.js';
import { createdValues, parsedPatch } from '../../domain/resource-values.js';
import { filterHeaderOf } from '../../domain/visibility.js';
import { type StoredLease } from '../../ports/stores.js';
import { byReader } from '../by-reader.js';
import { leaseList } from '../lease-lists.js';
import { textParameters } from '../list-query.js';
import { membersOf } from '../query-members.js';
import { leaseView } from '../views/lease-view.js';

const CreateBody = Type.Record(Type.String({ maxLength: 255 }), Type.Unknown(), {
  maxProperties: 200,
});

/** `/v1/leases`, and the lease of a node. */
export function leaseRouter(deps: LeaseDependencies): Router {
  const router = Router({ caseSensitive: true });
  const viewOf = (
    lease: StoredLease,
    context: ContextClaims,
    fields?: readonly string[],
  ): unknown => leaseView(lease, context, timestampOf(deps.now()), fields);
  const show = async (request: Request, response: Response): Promise<void> => {
    const context = contextOf(request);
    const { fields } = textParameters(request.query, { fields: 1 }, minorOf(context));
    const wanted = membersOf(fields, minorOf(context), LEASE.catalogue.sinceOf);
    const lease = await namedLease(deps.stores, context);
    // Below a node: a former lessee loses access at the end of the lease.
    await assertNodesCurrent(deps, context);
    response.json(viewOf(lease, context, wanted));
  };
  router.get('/v1/leases', byReader, async (request, response) => {
    const body = await leaseList(deps, request);
    const { filter } = contextOf(request).obligations;
    response.set('X-Tenure-Policy-Filter', filterHeaderOf(filter)).json(body);
  });
  router.post('/v1/leases', async (request, response) => {
    const context = withoutParameters(request);
    const body = parse(CreateBody, request.body, LEASE.what);
    const lease = await createLease(deps, createdValues(LEASE, body, minorOf(context)), context);
    response.status(201).location(`${context.public_base}/v1/leases/${lease.uuid}`);
    response.json(viewOf(lease, context));
  });
  router.get('/v1/leases/:ident', show);
  router.get('/v1/nodes/:ident/lease', show);
  router.patch('/v1/leases/:ident', async (request, response) => {
    const context = withoutParameters(request);
    const operations = parsedPatch(LEASE, request.body, minorOf(context));
    const lease = await namedLease(deps.stores, context);
    response.json(viewOf(await updateLease(deps, lease, operations, causeOf(context)), context));
  });
  router.delete('/v1/leases/:ident', async (request, response) => {
    const context = withoutParameters(request);
    const lease = await namedLease(deps.stores, context);
    const { status } = await endLease(deps, lease, causeOf(context), context);
    response.status(status === 'cancelled' ? 204 : 202).end();
  });
  return router;
}

/** @throws NotFoundError, TenancyChangedError about the nodes that a context names */
async function assertNodesCurrent(
  { stores }: LeaseDependencies,
  context: ContextClaims,
): Promise<void> {
  for (const { type, uuid } of context.resources)
    if (type === 'node') assertCurrent(await findNode(stores, uuid), context);
}

function withoutParameters(request: Request): ContextClaims {
  const context = contextOf(request);
  textParameters(request.query, {}, minorOf(context));
  return context;
}

const causeOf = ({ subject }: ContextClaims): Cause => ({
  user: subject?.user_id ?? null,
  conductor: null,
});
