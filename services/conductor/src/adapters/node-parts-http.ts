import { Type } from '@sinclair/typebox';
import { expectAnswer, type ServiceClient, type ResourceOwners } from '@tenure/http';
import { type PortRecord } from '../domain/vifs.js';
import { type NetworkRegistry } from '../ports/network-registry.js';
import { type NodeLookup } from '../ports/node-lookup.js';
import { type NodePorts } from '../ports/node-ports.js';
import { asNode, nodePath } from './inventory-answers.js';

const PortShape = Type.Object({
  uuid: Type.String({ minLength: 1 }),
  address: Type.Union([Type.String(), Type.Null()]),
  internal_info: Type.Record(Type.String(), Type.Unknown()),
  pxe_enabled: Type.Optional(Type.Boolean()),
  portgroup_uuid: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});
const PORTS = {
  ports: Type.Object({ ports: Type.Array(PortShape) }),
  portgroups: Type.Object({ portgroups: Type.Array(PortShape) }),
};

const Found = Type.Object({ nodes: Type.Array(Type.Unknown(), { maxItems: 64 }) });

const ClaimShape = Type.Object({
  project_id: Type.Union([Type.String(), Type.Null()]),
  in_use: Type.Boolean(),
});

/** Ports and portgroups of nodes, kept by the inventory. */
export const createHttpNodePorts = (client: ServiceClient): NodePorts => ({
  list: async (context, nodeUuid, kind) =>
    portsIn(
      kind,
      await client.call({ context, method: 'GET', target: `${nodePath(nodeUuid)}/${kind}` }),
    ),
  change: async (context, nodeUuid, { kind, uuid }, body) => {
    const target = `${nodePath(nodeUuid)}/${kind}/${encodeURIComponent(uuid)}`;
    await client.call({ context, method: 'PATCH', target, body });
  },
  create: async (context, nodeUuid, { pxeEnabled, ...port }) => {
    const target = `${nodePath(nodeUuid)}/ports`;
    await client.call({
      context,
      method: 'POST',
      target,
      body: { ...port, pxe_enabled: pxeEnabled },
    });
  },
});

/** Finds the nodes of agents in the inventory. */
export const createHttpNodeLookup = (client: ServiceClient): NodeLookup => ({
  find: async (context, { nodeUuid, addresses }, states) => {
    const query = new URLSearchParams({
      ...(addresses.length > 0 && { addresses: addresses.join(',') }),
      ...(nodeUuid !== undefined && { node_uuid: nodeUuid }),
      states: states.join(','),
    });
    const target = `/internal/lookup?${query.toString()}`;
    const answer = expectAnswer(Found, await client.call({ context, method: 'GET', target }));
    return answer.nodes.map(asNode);
  },
});

/**
 * The registry of a fleet without a network service: the inventory stores the owner of each VIF. The first project that
 * attaches a VIF owns it until it is detached.
 */
export const createInventoryNetworkRegistry = (client: ServiceClient): NetworkRegistry => ({
  ownerOf: async (context, vif) => {
    const target = `/internal/claims/vif/${encodeURIComponent(vif)}`;
    const answer = expectAnswer(ClaimShape, await client.call({ context, method: 'GET', target }));
    const { project_id: id, in_use: isInUse } = answer;
    if (!isInUse) return { kind: 'free' };
    return id === null ? { kind: 'operator' } : { kind: 'project', id };
  },
});

/** The registry of a fleet with a network service, which knows the projects of its ports. */
export const createNeutronNetworkRegistry = ({
  projectOf,
}: Pick<ResourceOwners, 'projectOf'>): NetworkRegistry => ({
  ownerOf: async (_context, vif) => {
    const id = await projectOf(vif);
    return id === undefined ? { kind: 'missing' } : { kind: 'project', id };
  },
});

const portsIn = (kind: keyof typeof PORTS, answer: unknown): readonly PortRecord[] =>
  kind === 'ports'
    ? expectAnswer(PORTS.ports, answer).ports
    : expectAnswer(PORTS.portgroups, answer).portgroups;
