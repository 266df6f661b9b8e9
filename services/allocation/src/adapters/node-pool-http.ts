import { Type } from '@sinclair/typebox';
import { type AllocationRecord } from '@tenure/contracts';
import { expectAnswer, type ServiceCall, type ServiceClient } from '@tenure/http';
import { type NodePool } from '../ports/node-pool.js';
import { AllocationRecordShape } from './allocation-store-http.js';

const Claimed = Type.Object({ allocation: AllocationRecordShape, node_uuid: Type.String() });
const Candidates = Type.Object({ nodes: Type.Array(Type.Object({ uuid: Type.String() })) });
const Resolved = Type.Object({
  found: Type.Array(Type.Object({ ident: Type.String(), uuid: Type.String() })),
  missing: Type.Array(Type.String()),
});

const claimed = async (
  client: ServiceClient,
  allocationUuid: string,
  request: Pick<ServiceCall, 'body' | 'context'>,
): Promise<AllocationRecord> => {
  const target = `/internal/allocations/${encodeURIComponent(allocationUuid)}/claim`;
  const answer = await client.call({ method: 'POST', target, ...request });
  return expectAnswer(Claimed, answer).allocation;
};

/** Nodes over the inventory's internal API (docs/contracts.md, "Inventory, internal"). */
export const nodePoolHttp = (client: ServiceClient): NodePool => ({
  candidates: async (query, context) => {
    const call = { method: 'POST', target: '/internal/candidates', body: query, context } as const;
    return expectAnswer(Candidates, await client.call(call)).nodes;
  },
  resolve: async (idents, filter, context) => {
    const call = {
      method: 'POST',
      target: '/internal/candidates/resolve',
      body: { idents, filter },
      context,
    } as const;
    return expectAnswer(Resolved, await client.call(call));
  },
  claim: (allocationUuid, nodeUuid, context) =>
    claimed(client, allocationUuid, { body: { node_uuid: nodeUuid }, context }),
  backfill: (allocationUuid, nodeUuid, context) =>
    claimed(client, allocationUuid, { body: { node_uuid: nodeUuid, backfill: true }, context }),
});
