import { Type } from '@sinclair/typebox';
import { AdvertisedUrl, type CallContext, type NodeRecord } from '@tenure/contracts';
import { expectAnswer, type ServiceCall, type ServiceClient } from '@tenure/http';
import {
  type DocumentKind,
  type InventoryPort,
  type LockedNode,
  type NodePage,
} from '../ports/inventory-port.js';
import { asNode, nodePath, NodeShape, unlessMissing } from './inventory-answers.js';

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

/** The inventory over HTTP (docs/contracts/inventory.md). */
export function createHttpInventory(client: ServiceClient): InventoryPort {
  const documentPath = (uuid: string, kind: DocumentKind): string =>
    `${nodePath(uuid)}/documents/${kind}`;
  const lock = async (what: ServiceCall): Promise<LockedNode> => asLocked(await client.call(what));
  return {
    getNode: async (context, uuid) =>
      asNode(await client.call({ context, method: 'GET', target: nodePath(uuid) })),
    listNodes: (context, page) => listNodes(client, context, page),
    reserve: (context, uuid, body) =>
      lock({ context, method: 'POST', target: `${nodePath(uuid)}/reservation`, body }),
    takeOver: (context, uuid, body) =>
      lock({ context, method: 'POST', target: `${nodePath(uuid)}/reservation/takeover`, body }),
    change: (context, uuid, body) =>
      lock({ context, method: 'PATCH', target: nodePath(uuid), body }),
    getDocument: (context, uuid, kind) =>
      unlessMissing(async () => {
        const target = documentPath(uuid, kind);
        return expectAnswer(Type.Object({}), await client.call({ context, method: 'GET', target }));
      }),
    putDocument: async (context, uuid, kind, body) => {
      await client.call({ context, method: 'PUT', target: documentPath(uuid, kind), body });
    },
    recordEvent: async (context, uuid, body) => {
      await client.call({ context, method: 'POST', target: `${nodePath(uuid)}/history`, body });
    },
    report: async (context, hostname, body) => {
      await client.call({ context, method: 'PUT', target: conductorPath(hostname), body });
    },
    deregister: async (context, hostname) => {
      await client.call({ context, method: 'DELETE', target: conductorPath(hostname) });
    },
    listConductors: async (context) => {
      const target = '/internal/conductors';
      const answer = await client.call({ context, method: 'GET', target });
      return expectAnswer(ConductorsShape, answer).conductors;
    },
  };
}

function asLocked(answer: unknown): LockedNode {
  const { node, fence, previous } = expectAnswer(LockedShape, answer);
  return { node: asNode(node), fence, previous };
}

async function listNodes(
  client: ServiceClient,
  context: CallContext,
  page: NodePage,
): Promise<readonly NodeRecord[]> {
  const nodes: NodeRecord[] = [];
  let { marker } = page;
  for (;;) {
    const target = pagePath({ ...page, limit: page.limit - nodes.length, marker });
    const answer = expectAnswer(PageShape, await client.call({ context, method: 'GET', target }));
    nodes.push(...answer.nodes.map(asNode));
    marker = nodes.at(-1)?.uuid;
    if (answer.more !== true || nodes.length >= page.limit || answer.nodes.length === 0)
      return nodes;
  }
}

const conductorPath = (hostname: string): string =>
  `/internal/conductors/${encodeURIComponent(hostname)}`;

function pagePath({
  limit,
  marker,
  reservedBy,
  ofDeparted,
  leaseOver,
  inHandover,
}: Omit<NodePage, 'marker'> & { readonly marker: string | undefined }): string {
  const query = new URLSearchParams({
    limit: String(limit),
    ...(marker !== undefined && { marker }),
    ...(reservedBy !== undefined && { reservation: reservedBy }),
    ...(ofDeparted === true && { departed: 'true' }),
    ...(leaseOver === true && { lease: 'over' }),
    ...(inHandover === true && { handover: 'open' }),
  });
  return `/internal/nodes?${query.toString()}`;
}
