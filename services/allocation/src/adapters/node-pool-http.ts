import { Type } from '@sinclair/typebox';
import { type AllocationRecord } from '@tenure/contracts';
import { type ServiceClient } from '@tenure/http';
import { type NodePool } from '../ports/node-pool.js';
import { AllocationRecordShape } from './allocation-store-http.js';
import { callInventory, expectAnswer, type InventoryRequest } from './inventory-call.js';

const Claimed = Type.Object({ allocation: AllocationRecordShape, node_uuid: Type.String() });
const Candidates = Type.Object({ nodes: Type.Array(Type.Object({ uuid: Type.String() })) });
const Resolved = Type.Object({
  found: Type.Array(Type.Object({ ident: Type.String(), uuid: Type.String() })),
  missing: Type.Array(Type.String()),
});

const claimed = async (
  client: ServiceClient,
  allocationUuid: string,
  request: Pick<InventoryRequest, 'body' | 'on'>,
): Promise<AllocationRecord> => {
  const target = `/internal/allocations/${encodeURIComponent(allocationUuid)}/claim`;
  const answer = await callInventory(client, { method: 'POST', target, ...request });
  return expectAnswer(Claimed, answer).allocation;
};

/** Nodes over the inventory's internal API (docs/contracts.md, "Inventory, internal"). */
export const nodePoolHttp = (client: ServiceClient): NodePool => ({
  candidates: async (query, on) => {
    const call = { method: 'POST', target: '/internal/candidates', body: query, on } as const;
    return expectAnswer(Candidates, await callInventory(client, call)).nodes;
  },
  resolve: async (idents, filter, on) => {
    const call = {
      method: 'POST',
      target: '/internal/candidates/resolve',
      body: { idents, filter },
      on,
    } as const;
    return expectAnswer(Resolved, await callInventory(client, call));
  },
  claim: (allocationUuid, nodeUuid, on) =>
    claimed(client, allocationUuid, { body: { node_uuid: nodeUuid }, on }),
  backfill: (allocationUuid, nodeUuid, on) =>
    claimed(client, allocationUuid, { body: { node_uuid: nodeUuid, backfill: true }, on }),
});
