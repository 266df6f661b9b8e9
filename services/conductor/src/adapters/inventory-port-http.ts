import { Type } from '@sinclair/typebox';
import {
  AppError,
  matches,
  type NodeRecord,
  TenancyChangedError,
  UnavailableError,
} from '@tenure/contracts';
import { type ServiceCall, type ServiceClient } from '@tenure/http';
import { type Behalf, type InventoryPort, type LockedNode } from '../ports/inventory-port.js';

// Only what the conductor acts on is checked; the record has many more members.
const NodeShape = Type.Object({
  uuid: Type.String({ minLength: 1 }),
  driver: Type.String(),
  driver_info: Type.Object({}),
  driver_internal_info: Type.Object({}),
  maintenance: Type.Boolean(),
  power_state: Type.Union([Type.String(), Type.Null()]),
  target_power_state: Type.Union([Type.String(), Type.Null()]),
  provision_state: Type.String(),
  reservation: Type.Union([Type.String(), Type.Null()]),
  tenancy_revision: Type.Integer(),
  fence: Type.Integer(),
});
const LockedShape = Type.Object({ node: NodeShape, fence: Type.Integer() });
const PageShape = Type.Object({ nodes: Type.Array(NodeShape) });

const odd = (): UnavailableError =>
  new UnavailableError('The inventory service gave an unusable answer.');

const asNode = (answer: unknown): NodeRecord => {
  if (!matches(NodeShape, answer)) throw odd();
  return answer as unknown as NodeRecord; // the members that are used were checked; the rest is the inventory's own record
};

const asLocked = (answer: unknown): LockedNode => {
  if (!matches(LockedShape, answer)) throw odd();
  return { node: asNode(answer.node), fence: answer.fence };
};

const translated = (error: unknown): unknown =>
  error instanceof AppError && error.code === 'tenancy_changed' ? new TenancyChangedError() : error;

/** The inventory over HTTP (docs/contracts.md, "Inventory, internal"). */
export const createHttpInventory = (client: ServiceClient): InventoryPort => {
  const ask = async (
    behalf: Behalf,
    request: Pick<ServiceCall, 'method' | 'target' | 'body'>,
  ): Promise<unknown> => {
    try {
      return await client.call({ ...request, statement: { aud: 'inventory', ...behalf } });
    } catch (error) {
      throw translated(error);
    }
  };
  const nodePath = (uuid: string): string => `/internal/nodes/${encodeURIComponent(uuid)}`;
  return {
    getNode: async (behalf, uuid) =>
      asNode(await ask(behalf, { method: 'GET', target: nodePath(uuid) })),
    listNodes: async (behalf, { limit, marker, reservedBy }) => {
      const query = new URLSearchParams({
        limit: String(limit),
        ...(marker !== undefined && { marker }),
        ...(reservedBy !== undefined && { reservation: reservedBy }),
      });
      const target = `/internal/nodes?${query.toString()}`;
      const answer = await ask(behalf, { method: 'GET', target });
      if (!matches(PageShape, answer)) throw odd();
      return answer.nodes.map(asNode);
    },
    reserve: async (behalf, uuid, body) =>
      asLocked(
        await ask(behalf, { method: 'POST', target: `${nodePath(uuid)}/reservation`, body }),
      ),
    change: async (behalf, uuid, body) =>
      asLocked(await ask(behalf, { method: 'PATCH', target: nodePath(uuid), body })),
    report: async (behalf, hostname, body) => {
      await ask(behalf, {
        method: 'PUT',
        target: `/internal/conductors/${encodeURIComponent(hostname)}`,
        body,
      });
    },
  };
};
