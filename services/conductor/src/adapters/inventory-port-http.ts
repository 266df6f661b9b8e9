import { Type } from '@sinclair/typebox';
import { AdvertisedUrl, matches, type NodeRecord } from '@tenure/contracts';
import { type ServiceClient } from '@tenure/http';
import {
  type DocumentKind,
  type InventoryPort,
  type LockedNode,
  type NodePage,
} from '../ports/inventory-port.js';
import {
  asNode,
  createAskInventory,
  nodePath,
  NodeShape,
  odd,
  unlessMissing,
} from './inventory-ask.js';

const TextOrNull = Type.Union([Type.String(), Type.Null()]);
const LockedShape = Type.Object({
  node: NodeShape,
  fence: Type.Integer(),
  previous: Type.Object({
    provision_state: Type.String(),
    provision_updated_at: TextOrNull,
    power_state: TextOrNull,
  }),
});
// `more`: the page may be shorter than its limit, because it is also bounded in bytes.
const PageShape = Type.Object({
  nodes: Type.Array(NodeShape),
  more: Type.Optional(Type.Boolean()),
});
const ConductorsShape = Type.Object({
  conductors: Type.Array(
    Type.Object({
      hostname: Type.String({ minLength: 1 }),
      drivers: Type.Array(Type.String()),
      conductor_group: Type.String(),
      advertised_url: Type.Optional(AdvertisedUrl),
    }),
  ),
});

const conductorPath = (hostname: string): string =>
  `/internal/conductors/${encodeURIComponent(hostname)}`;

const asLocked = (answer: unknown): LockedNode => {
  if (!matches(LockedShape, answer)) throw odd();
  return { node: asNode(answer.node), fence: answer.fence, previous: answer.previous };
};

const pagePath = ({
  limit,
  marker,
  reservedBy,
  ofDeparted,
  leaseOver,
  inHandover,
}: Omit<NodePage, 'marker'> & { readonly marker: string | undefined }): string => {
  const query = new URLSearchParams({
    limit: String(limit),
    ...(marker !== undefined && { marker }),
    ...(reservedBy !== undefined && { reservation: reservedBy }),
    ...(ofDeparted === true && { departed: 'true' }),
    ...(leaseOver === true && { lease: 'over' }),
    ...(inHandover === true && { handover: 'open' }),
  });
  return `/internal/nodes?${query.toString()}`;
};

/** The inventory over HTTP (docs/contracts.md, "Inventory, internal"). */
export const createHttpInventory = (client: ServiceClient): InventoryPort => {
  const ask = createAskInventory(client);
  const documentPath = (uuid: string, kind: DocumentKind): string =>
    `${nodePath(uuid)}/documents/${kind}`;
  return {
    getNode: async (behalf, uuid) =>
      asNode(await ask(behalf, { method: 'GET', target: nodePath(uuid) })),
    listNodes: async (behalf, page) => {
      const nodes: NodeRecord[] = [];
      let { marker } = page;
      for (;;) {
        const target = pagePath({ ...page, limit: page.limit - nodes.length, marker });
        const answer = await ask(behalf, { method: 'GET', target });
        if (!matches(PageShape, answer)) throw odd();
        nodes.push(...answer.nodes.map(asNode));
        marker = nodes.at(-1)?.uuid;
        if (answer.more !== true || nodes.length >= page.limit || answer.nodes.length === 0)
          return nodes;
      }
    },
    reserve: async (behalf, uuid, body) =>
      asLocked(
        await ask(behalf, { method: 'POST', target: `${nodePath(uuid)}/reservation`, body }),
      ),
    takeOver: async (behalf, uuid, body) => {
      const target = `${nodePath(uuid)}/reservation/takeover`;
      return asLocked(await ask(behalf, { method: 'POST', target, body }));
    },
    change: async (behalf, uuid, body) =>
      asLocked(await ask(behalf, { method: 'PATCH', target: nodePath(uuid), body })),
    getDocument: (behalf, uuid, kind) =>
      unlessMissing(async () => {
        const answer = await ask(behalf, { method: 'GET', target: documentPath(uuid, kind) });
        if (!matches(Type.Object({}), answer)) throw odd();
        return answer;
      }),
    putDocument: async (behalf, uuid, kind, change) => {
      await ask(behalf, { method: 'PUT', target: documentPath(uuid, kind), body: change });
    },
    recordEvent: async (behalf, uuid, body) => {
      await ask(behalf, { method: 'POST', target: `${nodePath(uuid)}/history`, body });
    },
    report: async (behalf, hostname, body) => {
      await ask(behalf, { method: 'PUT', target: conductorPath(hostname), body });
    },
    deregister: async (behalf, hostname) => {
      await ask(behalf, { method: 'DELETE', target: conductorPath(hostname) });
    },
    listConductors: async (behalf) => {
      const answer = await ask(behalf, { method: 'GET', target: '/internal/conductors' });
      if (!matches(ConductorsShape, answer)) throw odd();
      return answer.conductors;
    },
  };
};
