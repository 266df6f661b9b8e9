import { Type } from '@sinclair/typebox';
import { type AllocationRecord } from '@tenure/contracts';
import { callFor, type ServiceCall, type ServiceClient } from '@tenure/http';
import { type NodePool } from '../ports/node-pool.js';
import { AllocationRecordShape } from './allocation-store-http.js';

const Claimed = Type.Object({ allocation: AllocationRecordShape, node_uuid: Type.String() });
const Candidates = Type.Object({ nodes: Type.Array(Type.Object({ uuid: Type.String() })) });
const Resolved = Type.Object({
  found: Type.Array(Type.Object({ ident: Type.String(), uuid: Type.String() })),
  missing: Type.Array(Type.String()),
});

/** Nodes over the inventory's internal API (docs/contracts/inventory.md). */
export const nodePoolHttp = (client: ServiceClient): NodePool => ({
  candidates: async (body, context) => {
    const call = { method: 'POST', target: '/internal/candidates', body, context } as const;
    return (await callFor(client, Candidates, call)).nodes;
  },
  resolve: (idents, filter, context) =>
    callFor(client, Resolved, {
      method: 'POST',
      target: '/internal/candidates/resolve',
      body: { idents, filter },
      context,
    }),
  claim: (allocationUuid, nodeUuid, context) =>
    claimed(client, allocationUuid, { body: { node_uuid: nodeUuid }, context }),
  backfill: (allocationUuid, nodeUuid, context) =>
    claimed(client, allocationUuid, { body: { node_uuid: nodeUuid, backfill: true }, context }),
});

async function claimed(
  client: ServiceClient,
  allocationUuid: string,
  request: Pick<ServiceCall, 'body' | 'context'>,
): Promise<AllocationRecord> {
  const target = `/internal/allocations/${encodeURIComponent(allocationUuid)}/claim`;
  return (await callFor(client, Claimed, { method: 'POST', target, ...request })).allocation;
}
