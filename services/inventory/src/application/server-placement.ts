import {
  attachedVifOf,
  ConflictError,
  nodeInHandover,
  type NodeRecord,
  NotFoundError,
  type ServerPlacement,
} from '@tenure/contracts';
import { isInHandover } from '../domain/custody.js';
import { isVisible, NODE_FILTER_FIELDS } from '../domain/visibility.js';
import { type ResourceRecord } from '../ports/resource-records.js';
import { type StoredServer, type Stores } from '../ports/stores.js';
import { allWhere } from './all-where.js';
import { changeNode, lockedError } from './change-node.js';

type Values = Readonly<Record<string, unknown>>;

interface PlacementDependencies {
  readonly stores: Pick<Stores, 'nodes' | 'allocations' | 'resources'>;
  readonly now: () => Date;
}

type PlacedServer = Pick<StoredServer, 'uuid' | 'candidate_filter'>;

/** The placement of a server. */
export async function placementOf(
  deps: PlacementDependencies,
  server: PlacedServer,
): Promise<ServerPlacement> {
  const [allocation, node] = await Promise.all([
    deps.stores.allocations.findBy('uuid', server.uuid),
    nodeOfServer(deps.stores, server),
  ]);
  return {
    allocation:
      allocation === undefined
        ? null
        : { state: allocation.state, tenancy_revision: allocation.tenancy_revision },
    node: node === undefined ? null : await nodeOf(deps, node),
  };
}

/**
 * Writes what is to be deployed for a server to the node of its own allocation. Values of the allocation stay.
 * @throws NotFoundError when no node is allocated for it; ConflictError `node_locked`, `node_in_handover`
 */
export async function writeInstance(
  { stores, now }: PlacementDependencies,
  server: PlacedServer & Pick<StoredServer, 'name' | 'project_id'>,
  instanceInfo: Values,
): Promise<void> {
  const { uuid, name, project_id: project, candidate_filter: filter } = server;
  const allocated = await nodeOfServer(stores, server);
  if (allocated?.allocation_uuid !== uuid) throw NotFoundError.of('Node of server', uuid);
  await changeNode({
    nodes: stores.nodes,
    now,
    uuid: allocated.uuid,
    ident: allocated.uuid,
    change: (node) => {
      const isAllocated = node.instance_uuid === uuid && node.allocation_uuid === uuid;
      if (!isAllocated || !isVisible(node, filter, NODE_FILTER_FIELDS))
        throw new ConflictError(
          'node_taken',
          `Node ${node.uuid} is not allocated to server ${uuid}.`,
        );
      if (node.reservation !== null) throw lockedError(node, ['reservation']);
      if (isInHandover(node)) throw nodeInHandover(node.uuid);
      const { traits } = node.instance_info;
      return {
        ...node,
        instance_name: name,
        instance_info: {
          ...instanceInfo,
          // The instance belongs to the server's project, whatever the request says.
          project_id: project,
          display_name: name,
          ...(traits !== undefined && { traits }),
        },
      };
    },
  });
}

/**
 * The node of a server, only while `instance_uuid` names the server, and the policy's filter of the server still
 * matches the node. A server whose lease has ended, or whose machine has another tenant, has no node, even if its
 * instance still runs.
 */
async function nodeOfServer(
  { nodes }: Pick<Stores, 'nodes'>,
  { uuid, candidate_filter: filter }: PlacedServer,
): Promise<NodeRecord | undefined> {
  const node = await nodes.findBy('instance_uuid', uuid);
  return node !== undefined && isVisible(node, filter, NODE_FILTER_FIELDS) ? node : undefined;
}

const nodeOf = async (
  deps: PlacementDependencies,
  node: NodeRecord,
): Promise<ServerPlacement['node']> => ({
  uuid: node.uuid,
  tenancy_revision: node.tenancy_revision,
  provision_state: node.provision_state,
  provision_updated_at: textOf(node.provision_updated_at),
  power_state: node.power_state,
  target_power_state: node.target_power_state,
  maintenance: node.maintenance,
  reserved: node.reservation !== null,
  deploy_interface: textOf(node.deploy_interface),
  last_error: textOf(node.last_error),
  vifs: await vifsOf(deps, node),
});

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

async function vifsOf({ stores }: PlacementDependencies, node: NodeRecord) {
  const query = allWhere({ field: 'node_uuid', op: 'eq', value: node.uuid });
  const [groups, ports] = await Promise.all([
    stores.resources.portgroups.list(query),
    stores.resources.ports.list(query),
  ]);
  return [...groups, ...ports].flatMap(vifIn);
}

function vifIn(record: ResourceRecord) {
  const id = attachedVifOf(record.internal_info);
  return id === null ? [] : [{ id, address: textOf(record['address']) }];
}
