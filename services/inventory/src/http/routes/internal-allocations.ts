import { randomUUID } from 'node:crypto';
import { type Static } from '@sinclair/typebox';
import {
  ALLOCATION_CATALOGUE,
  type AllocationRecord,
  BadRequestError,
  type ContextClaims,
  limitIn,
  MAX_PAGE,
  minorOf,
  NotFoundError,
  orderIn,
  parse,
  type PolicyFilter,
  timestampOf,
} from '@tenure/contracts';
import { contextOf, onlyFrom } from '@tenure/http';
import { type Request, Router } from 'express';
import {
  type AllocationDependencies,
  changeAllocation,
  claimNode,
  duplicateAllocationError,
  findAllocation,
  removeAllocation,
} from '../../application/allocations.js';
import { assertCurrent } from '../../application/change-node.js';
import { nodeNamed } from '../../application/find-node.js';
import { allowedNodes, isFree } from '../../domain/candidates.js';
import { assertConditions } from '../../domain/conditions.js';
import {
  ALLOCATION_FILTER_FIELDS,
  filterHeaderOf,
  isVisible,
  NODE_FILTER_FIELDS,
  restrictionOf,
} from '../../domain/visibility.js';
import {
  type Condition,
  type Projected,
  type RecordPage,
  positionAfter,
} from '../../ports/record-store.js';
import { ALLOCATION_SHAPE } from '../../ports/shapes.js';
import { type StoredAllocation } from '../../ports/stores.js';
import {
  AllocationChangeBody,
  CandidatesBody,
  ClaimBody,
  NewAllocationBody,
  ResolveBody,
} from '../bodies.js';
import { byReader } from '../by-reader.js';
import { pathPart, queryOf } from '../internal-query.js';

const INITIAL = {
  name: null,
  owner: null,
  resource_class: null,
  traits: [],
  candidate_nodes: [],
  extra: {},
  state: 'allocating',
  last_error: null,
  // Without a filter of the policy, no node may be taken.
  candidate_filter: { mode: 'none', predicates: [] },
} as const;

const FILTERS = ALLOCATION_SHAPE.indexed;

const LIST_PARAMETERS = ['fields', 'limit', 'marker', 'sort_key', 'sort_dir', ...FILTERS];

const FREE: readonly Condition[] = [
  { field: 'provision_state', op: 'eq', value: 'available' },
  { field: 'instance_uuid', op: 'null' },
  { field: 'allocation_uuid', op: 'null' },
  { field: 'reservation', op: 'null' },
  { field: 'maintenance', op: 'eq', value: false },
  { field: 'power_state', op: 'not_null' },
  { field: 'handover_uuid', op: 'null' },
];

/** Internal routes about allocations (docs/contracts/inventory.md). */
export const internalAllocationRouters = (deps: AllocationDependencies): readonly Router[] => [
  collectionRouter(deps),
  itemRouter(deps),
  claimRouter(deps),
  candidatesRouter(deps),
];

function collectionRouter(deps: AllocationDependencies): Router {
  const router = Router({ caseSensitive: true });
  const { allocations } = deps.stores;
  router.post('/internal/allocations', onlyFrom('allocation'), async (request, response) => {
    const body = parse(NewAllocationBody, request.body, 'allocation');
    const fields = newAllocation(body, contextOf(request), deps.now());
    try {
      const stored = await allocations.insert((epoch): StoredAllocation => ({
        ...fields,
        revision: epoch,
        tenancy_revision: epoch,
      })); // Omit widens an indexed type
      response.status(201).json(allocationView(stored));
    } catch (error) {
      throw duplicateAllocationError(error, {
        uuid: fields.uuid,
        name: body.name ?? null,
      });
    }
  });
  router.get(
    '/internal/allocations',
    onlyFrom('allocation'),
    byReader,
    async (request, response) => {
      const { rows, more } = await listAllocations(deps, request);
      response.set('X-Tenure-Policy-Filter', filterHeaderOf(contextOf(request).obligations.filter));
      response.json({ allocations: rows.map(rowView), more });
    },
  );
  return router;
}

function itemRouter(deps: AllocationDependencies): Router {
  const router = Router({ caseSensitive: true });
  router.get('/internal/allocations/:ident', onlyFrom('allocation'), async (request, response) => {
    response.json(allocationView(await named(deps, request, pathPart(request, 'ident'))));
  });
  router.patch('/internal/allocations/:uuid', onlyFrom('allocation'), async (request, response) => {
    const { expected_revision, set } = parse(AllocationChangeBody, request.body, 'allocation');
    const before = await named(deps, request, pathPart(request, 'uuid'));
    assertConditions(before, contextOf(request).obligations, 'update allocation');
    response.json(allocationView(await changeAllocation(deps, before, expected_revision, set))); // checked by the schema above
  });
  router.delete(
    '/internal/allocations/:uuid',
    onlyFrom('allocation'),
    async (request, response) => {
      const allocation = await named(deps, request, pathPart(request, 'uuid'));
      await removeAllocation(deps, allocation, contextOf(request));
      response.status(204).end();
    },
  );
  return router;
}

/**
 * `POST /internal/allocations/{uuid}/claim` `{node_uuid, backfill?}`.
 *
 * With `backfill` (Ironic, microversion 1.58) the node is in use already, and the allocation is recorded for it: any
 * provision state, power state and maintenance will do, but no allocation on it, no lock, and no instance other than
 * the allocation's own uuid, which is written when there is none. Class, traits and `candidate_filter` hold as for every
 * claim; an allocation without a class takes the node's.
 */
function claimRouter(deps: AllocationDependencies): Router {
  const router = Router({ caseSensitive: true });
  router.post(
    '/internal/allocations/:uuid/claim',
    onlyFrom('allocation'),
    async (request, response) => {
      const { node_uuid, backfill = false } = parse(ClaimBody, request.body, 'claim');
      const allocation = await named(deps, request, pathPart(request, 'uuid'));
      assertConditions(allocation, contextOf(request).obligations, 'claim a node for allocation');
      const wanted = { uuid: node_uuid.toLowerCase(), backfill };
      const claim = await claimNode(deps, allocation, wanted);
      response.json({ allocation: allocationView(claim.allocation), node_uuid: claim.node_uuid });
    },
  );
  return router;
}

function candidatesRouter({ stores }: AllocationDependencies): Router {
  const router = Router({ caseSensitive: true });
  router.post(
    '/internal/candidates',
    onlyFrom('allocation'),
    byReader,
    async (request, response) => {
      const body = parse(CandidatesBody, request.body, 'candidates');
      const { anyOf, where } = allowedNodes(body.filter);
      const nodes = await stores.nodes.list({
        anyOf,
        where: [...demandOf(body), ...FREE, ...where],
        order: { field: null, descending: false },
        after: null,
        limit: body.limit ?? 100,
      });
      // Checked at the time of the response: a lease may have ended without a write yet.
      response.json({ nodes: nodes.filter(isFree).map(({ uuid, name }) => ({ uuid, name })) });
    },
  );
  router.post('/internal/candidates/resolve', onlyFrom('allocation'), async (request, response) => {
    const { idents, filter } = parse(ResolveBody, request.body, 'candidates');
    const visible = async (ident: string, allowed: PolicyFilter) => {
      const node = await nodeNamed(stores, ident);
      return node !== undefined && isVisible(node, allowed, NODE_FILTER_FIELDS) ? node : undefined;
    };
    const found: { ident: string; uuid: string }[] = [];
    const missing: string[] = [];
    for (const ident of idents) {
      const node = await visible(ident, filter);
      if (node === undefined) missing.push(ident);
      else found.push({ ident, uuid: node.uuid });
    }
    response.json({ found, missing });
  });
  return router;
}

const newAllocation = (
  body: Static<typeof NewAllocationBody>,
  context: ContextClaims,
  now: Date,
): Omit<AllocationRecord, 'revision'> => ({
  ...INITIAL,
  ...body,
  ...context.obligations.set,
  uuid: body.uuid?.toLowerCase() ?? randomUUID(),
  node_uuid: null,
  created_at: timestampOf(now),
  updated_at: null,
});

const allocationView = ({
  tenancy_revision: _internal,
  ...allocation
}: StoredAllocation): AllocationRecord => allocation;

async function listAllocations(
  { stores }: AllocationDependencies,
  request: Request,
): Promise<RecordPage<StoredAllocation>> {
  const query = queryOf(request, LIST_PARAMETERS);
  const { obligations, ...context } = contextOf(request);
  const { filter } = obligations;
  // The allocation service has checked what is newer than the microversion.
  const isSortable = (field: string) =>
    ALLOCATION_CATALOGUE.sortableSince(field) === undefined ? undefined : 1;
  const order = orderIn(query, isSortable, minorOf(context));
  const where = FILTERS.flatMap((field): Condition[] => {
    const value = query[field];
    return value === undefined ? [] : [{ field, op: 'eq', value }];
  });
  const marker =
    query['marker'] === undefined
      ? undefined
      : await stores.allocations.findBy('uuid', query['marker']);
  if (
    query['marker'] !== undefined &&
    (marker === undefined || !isVisible(marker, filter, ALLOCATION_FILTER_FIELDS))
  )
    throw NotFoundError.of('Allocation', query['marker']);
  return stores.allocations.page({
    ...fieldsIn(query['fields']),
    anyOf: restrictionOf(filter, ALLOCATION_FILTER_FIELDS),
    where,
    order,
    after: marker === undefined ? null : positionAfter(marker, order),
    limit: limitIn(query['limit'], MAX_PAGE + 1),
  });
}

const rowView = ({
  tenancy_revision: _internal,
  ...allocation
}: Projected<StoredAllocation>): unknown => allocation;

/** @throws BadRequestError */
function fieldsIn(text: string | undefined): { readonly fields?: readonly string[] } {
  if (text === undefined) return {};
  const fields = text.split(',');
  const unknown = fields.find((field) => ALLOCATION_CATALOGUE.field(field) === undefined);
  if (unknown !== undefined)
    throw new BadRequestError(`Allocations have no field "${unknown.slice(0, 64)}".`);
  return { fields };
}

/** An allocation that is named: as in its context's decision, or else 412. */
async function named(
  deps: AllocationDependencies,
  request: Request,
  ident: string,
): Promise<StoredAllocation> {
  const allocation = await findAllocation(deps.stores.allocations, ident);
  assertCurrent(allocation, contextOf(request));
  return allocation;
}

function demandOf({
  resource_class,
  traits = [],
  candidate_nodes: candidates = [],
  name,
}: Static<typeof CandidatesBody>): readonly Condition[] {
  const demands: Condition[] = [];
  if (typeof resource_class === 'string')
    demands.push({ field: 'resource_class', op: 'eq', value: resource_class });
  if (traits.length > 0) demands.push({ field: 'traits', op: 'has_all', values: traits });
  if (candidates.length > 0) demands.push({ field: 'uuid', op: 'in', values: candidates });
  if (name !== undefined) demands.push({ field: 'name', op: 'eq', value: name });
  return demands;
}
