import { NotFoundError } from '@tenure/contracts';
import { onlyFrom } from '@tenure/http';
import { type Request, Router } from 'express';
import { findAllocation } from '../../application/allocations.js';
import { findNode } from '../../application/find-node.js';
import { findLease } from '../../application/leases/find-lease.js';
import { findByIdent, NO_TENANCY, nodeOf } from '../../application/resources/find-resource.js';
import { findServer } from '../../application/servers.js';
import { KINDS } from '../../domain/kinds/all-kinds.js';
import { type ResourceKind } from '../../domain/kinds/resource-kind.js';
import { type StoredAllocation, type StoredLease } from '../../ports/stores.js';
import { pathPart } from '../internal-query.js';
import { type InternalDependencies } from './internal-nodes.js';

/** `GET /internal/tenancy/…`: the tenancy of a resource, from which the gateway builds the policy's input. */
export const internalTenancyRouters = (deps: InternalDependencies): readonly Router[] => [
  ownTenancyRouter(deps),
  leaseTenancyRouter(deps),
  serverTenancyRouter(deps),
  ...Object.values(KINDS)
    .filter(({ onNode }) => onNode)
    .map((kind) => nodeRecordTenancyRouter(deps, kind)),
];

function ownTenancyRouter({ stores }: InternalDependencies): Router {
  const router = Router({ caseSensitive: true });
  router.get(
    '/internal/tenancy/nodes/:ident',
    onlyFrom('gateway', 'cli'),
    async (request, response) => {
      const { uuid, name, owner, lessee, tenancy_revision } = await findNode(
        stores,
        identIn(request),
      );
      response.json({ uuid, name, owner, lessee, tenancy_revision });
    },
  );
  router.get(
    '/internal/tenancy/nodes/:ident/allocation',
    onlyFrom('gateway'),
    async (request, response) => {
      const { uuid, allocation_uuid: allocationUuid } = await findNode(stores, identIn(request));
      if (allocationUuid === null) throw new NotFoundError(`Node ${uuid} has no allocation.`);
      response.json(allocationTenancy(await findAllocation(stores.allocations, allocationUuid)));
    },
  );
  router.get(
    '/internal/tenancy/allocations/:ident',
    onlyFrom('gateway'),
    async (request, response) => {
      const allocation = await findAllocation(stores.allocations, identIn(request));
      response.json(allocationTenancy(allocation));
    },
  );
  return router;
}

function leaseTenancyRouter({ stores }: InternalDependencies): Router {
  const router = Router({ caseSensitive: true });
  router.get('/internal/tenancy/leases/:ident', onlyFrom('gateway'), async (request, response) => {
    response.json(leaseTenancy(await findLease(stores, identIn(request))));
  });
  router.get(
    '/internal/tenancy/nodes/:ident/lease',
    onlyFrom('gateway'),
    async (request, response) => {
      const { uuid, lease_uuid: leaseUuid } = await findNode(stores, identIn(request));
      if (typeof leaseUuid !== 'string') throw new NotFoundError(`Node ${uuid} has no lease.`);
      response.json(leaseTenancy(await findLease(stores, leaseUuid)));
    },
  );
  return router;
}

/** The tenancy of a server: its project, and the user who created it. */
function serverTenancyRouter({ stores }: InternalDependencies): Router {
  const router = Router({ caseSensitive: true });
  router.get('/internal/tenancy/servers/:ident', onlyFrom('gateway'), async (request, response) => {
    const { uuid, project_id, user_id, tenancy_revision } = await findServer(
      stores,
      identIn(request),
    );
    response.json({ uuid, owner: project_id, creator: user_id, tenancy_revision });
  });
  return router;
}

/** For a record that belongs to a node: the tenancy of that node; no tenancy when the node does not exist any more. */
function nodeRecordTenancyRouter({ stores }: InternalDependencies, kind: ResourceKind): Router {
  const router = Router({ caseSensitive: true });
  router.get(
    `/internal/tenancy/${kind.section}/:ident`,
    onlyFrom('gateway'),
    async (request, response) => {
      const record = await findByIdent(stores, kind, identIn(request));
      if (record === undefined) throw NotFoundError.of(kind.label, identIn(request));
      const { owner, lessee, tenancy_revision } = (await nodeOf(stores, record)) ?? NO_TENANCY;
      const { uuid } = record;
      response.json({ uuid, owner, lessee, tenancy_revision, node_uuid: record.node_uuid });
    },
  );
  return router;
}

const identIn = (request: Request): string => pathPart(request, 'ident');

const allocationTenancy = ({ uuid, name, owner, tenancy_revision }: StoredAllocation) => ({
  uuid,
  name,
  owner,
  tenancy_revision,
});

const leaseTenancy = ({ uuid, owner, lessee, tenancy_revision }: StoredLease) => ({
  uuid,
  owner,
  lessee,
  tenancy_revision,
});
