import {
  type AllocationRecord,
  AppError,
  BadRequestError,
  type CallContext,
  type ContextClaims,
  minorOf,
  NotFoundError,
  TenancyChangedError,
} from '@tenure/contracts';
import { contextOf, onlyFrom } from '@tenure/http';
import { retry } from '@tenure/process';
import { callContextOf } from '@tenure/signed-context';
import { type Request, Router } from 'express';
import { applyAllocationPatch, readAllocationPatch } from '../domain/allocation-patch.js';
import { EVERYTHING, filterHeader } from '../domain/node-filter.js';
import { allocationUrl, allocationView } from './allocation-view.js';
import { createAllocation, type CreateDeps } from './create-allocation.js';
import { listAllocations } from './list-allocations.js';
import { readItemQuery } from './list-query.js';

// Processing writes to an allocation while its owner does.
const CONFLICT_ATTEMPTS = 5;

const gateway = onlyFrom('gateway');
/** The compute service asks for the node of a server, and gives it back; it reads and changes no allocation. */
const orCompute = onlyFrom('gateway', 'compute');

/** `/v1/nodes/{ident}/allocation`: the allocation of a node, under the node's name. */
export function nodeAllocationRouter(deps: CreateDeps): Router {
  const router = Router({ caseSensitive: true });
  router.use('/v1/nodes', onlyFrom('gateway'));

  router.get('/v1/nodes/:ident/allocation', async (request, response) => {
    const claims = contextOf(request);
    const fields = readItemQuery(request.query, minorOf(claims));
    const record = await named(
      identOf(request),
      findAllocationOfNode(deps, claims, identOf(request)),
    );
    response.json(view(record, claims, fields));
  });

  router.delete('/v1/nodes/:ident/allocation', async (request, response) => {
    const claims = contextOf(request);
    refuseQuery(request);
    const remove = async (): Promise<void> => {
      const { uuid } = await findAllocationOfNode(deps, claims, identOf(request));
      await deps.store.remove(uuid, contextOnResource(claims));
    };
    await named(identOf(request), whileConflicting(remove));
    response.status(204).end();
  });

  return router;
}

/** `/v1/allocations…`: the gateway has decided; here the decision is carried out. */
export function allocationRouter(deps: CreateDeps): Router {
  // Not strict: ironicclient asks for `/v1/allocations/?…` when it filters.
  const router = Router({ caseSensitive: true });

  router.get('/v1/allocations', gateway, async (request, response) => {
    const claims = contextOf(request);
    const body = await listAllocations(deps, claims, request.query);
    response.set('X-Tenure-Policy-Filter', filterHeader(claims.obligations.filter)).json(body);
  });

  router.post('/v1/allocations', orCompute, async (request, response) => {
    const claims = contextOf(request);
    refuseQuery(request);
    const record = await createAllocation(deps, claims, request.body);
    response
      .status(201)
      .set('Location', allocationUrl(claims.public_base, record.uuid))
      .json(view(record, claims));
  });

  router.get('/v1/allocations/:ident', gateway, async (request, response) => {
    const claims = contextOf(request);
    const fields = readItemQuery(request.query, minorOf(claims));
    const uuid = decidedUuid(claims, identOf(request));
    response.json(
      view(
        await named(identOf(request), deps.store.find(uuid, contextOnResource(claims))),
        claims,
        fields,
      ),
    );
  });

  router.patch('/v1/allocations/:ident', gateway, async (request, response) => {
    const claims = contextOf(request);
    refuseQuery(request);
    const uuid = decidedUuid(claims, identOf(request));
    const record = await named(
      identOf(request),
      patchAllocation(deps, claims, { uuid, body: request.body }),
    );
    response.json(view(record, claims));
  });

  router.delete('/v1/allocations/:ident', orCompute, async (request, response) => {
    const claims = contextOf(request);
    refuseQuery(request);
    const uuid = decidedUuid(claims, identOf(request));
    await named(
      identOf(request),
      whileConflicting(() => deps.store.remove(uuid, contextOnResource(claims))),
    );
    response.status(204).end();
  });

  return router;
}

/** Replaces the store's "not found" by one that names the ident of the caller. */
async function named<T>(ident: string, step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    if (error instanceof AppError && error.status === 404)
      throw NotFoundError.of('Allocation', ident);
    throw error;
  }
}

const identOf = (request: Request): string => String(request.params['ident']);

/** The allocation that was decided on, while it holds the node that was decided on. @throws TenancyChangedError otherwise */
async function findAllocationOfNode(
  { store }: CreateDeps,
  claims: ContextClaims,
  ident: string,
): Promise<AllocationRecord> {
  const [, node] = claims.resources;
  const record = await store.find(decidedUuid(claims, ident), contextOnResource(claims));
  if (node?.type !== 'node' || record.node_uuid !== node.uuid) throw new TenancyChangedError();
  return record;
}

const view = (
  record: AllocationRecord,
  claims: ContextClaims,
  fields?: readonly string[],
): unknown =>
  allocationView(record, {
    minor: minorOf(claims),
    publicBase: claims.public_base,
    masked: claims.obligations.fields.masked,
    ...(fields !== undefined && { fields }),
  });

function refuseQuery(request: Request): void {
  const [key] = Object.keys(request.query);
  if (key !== undefined) throw new BadRequestError(`Unknown query parameter: ${key.slice(0, 64)}`);
}

/** The context of a decision on one resource, which `resources` binds: no rows were filtered, so its filter says `none`. */
const contextOnResource = (claims: ContextClaims): CallContext => ({
  ...callContextOf(claims),
  obligations: { ...claims.obligations, filter: EVERYTHING },
});

/** Retries `step` when the record was changed meanwhile. */
const whileConflicting = <T>(step: () => Promise<T>): Promise<T> =>
  retry(step, {
    attempts: CONFLICT_ATTEMPTS,
    isTransient: (error) => error instanceof AppError && error.code === 'revision_conflict',
    pauseMs: () => 0,
  });

/** The allocation that the gateway decided on, not the one in the path. @throws NotFoundError when there is none */
function decidedUuid(claims: ContextClaims, ident: string): string {
  const resource = claims.resources[0];
  if (resource?.type !== 'allocation') throw NotFoundError.of('Allocation', ident);
  return resource.uuid;
}

async function patchAllocation(
  deps: CreateDeps,
  claims: ContextClaims,
  change: { readonly uuid: string; readonly body: unknown },
): Promise<AllocationRecord> {
  const patch = readAllocationPatch(change.body);
  const context = contextOnResource(claims);
  return whileConflicting(async () => {
    const current = await deps.store.find(change.uuid, context);
    const set = applyAllocationPatch(current, patch);
    return deps.store.update(current.uuid, { expectedRevision: current.revision, set }, context);
  });
}
