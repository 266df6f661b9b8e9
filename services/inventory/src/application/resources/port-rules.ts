import { ATTACHED_VIF, ConflictError, type NodeRecord } from '@tenure/contracts';
import { type Values } from '../../domain/kinds/resource-kind.js';
import { type ResourceRecord } from '../../ports/resource-records.js';
import { allWhere } from '../all-where.js';
import { releaseLeft } from '../claims.js';
import { linkRefused, type ResourceStores } from './find-resource.js';
import { changes, type WriteRules } from './write-rules.js';

const CONNECTIVITY = [
  'portgroup_uuid',
  'pxe_enabled',
  'local_link_connection',
  'physical_network',
  'is_smartnic',
] as const;
export const CONNECTIVITY_STATES = ['enroll', 'inspecting', 'inspect wait', 'manageable'] as const;

/** Whether an instance or a tenant relies on the present network of the node. */
const isInUse = (node: NodeRecord | null): node is NodeRecord =>
  node !== null &&
  !node.maintenance &&
  (node.provision_state === 'active' || node.instance_uuid !== null);

/** Whether the node's network may be rewired. */
export const isRewirable = (node: NodeRecord | null): boolean =>
  node === null ||
  node.maintenance ||
  (CONNECTIVITY_STATES as readonly string[]).includes(node.provision_state);

/** The member ports of a group. */
export const portsOf = (
  { resources }: ResourceStores,
  { uuid }: ResourceRecord,
): Promise<readonly ResourceRecord[]> =>
  resources.ports.list(allWhere({ field: 'portgroup_uuid', op: 'eq', value: uuid }));

/** The attached VIF as it is stored, of any type: an import may have written it. */
const vifOf = (port: ResourceRecord): unknown => port.internal_info?.[ATTACHED_VIF] ?? null;

const nameOf = (vif: unknown): string => (typeof vif === 'string' ? vif : JSON.stringify(vif));

export const PORT_RULES: WriteRules = {
  created: ({ stores }, port) => assertMembership(stores, port),
  updated: async ({ stores, node }, before, after) => {
    if (changes(before, after, 'portgroup_uuid', 'node_uuid', 'pxe_enabled', 'physical_network'))
      await assertMembership(stores, after);
    assertNoVifMoves('port', before, after);
    assertAddressStays('port', node, before, after);
    assertRewirable(node, before, after);
  },
  removed: ({ node }, port) => {
    const vif = vifOf(port);
    if (node !== null && !node.maintenance && vif !== null)
      throw new ConflictError(
        'port_in_use',
        `Cannot delete the port ${port.uuid} as it is bound to VIF ${nameOf(vif)} in tenant use.`,
      );
    return Promise.resolve();
  },
  left: ({ stores }, port) => releaseLeft({ stores }, 'ports', port),
};

/** A VIF is not taken to a machine that its project did not attach it to. */
export function assertNoVifMoves(
  what: string,
  before: ResourceRecord,
  after: ResourceRecord,
): void {
  const vif = vifOf(before);
  if (vif !== null && changes(before, after, 'node_uuid'))
    throw new ConflictError(
      'port_in_use',
      `Cannot move the ${what} ${before.uuid} to another node as it is bound to VIF ${nameOf(vif)} in tenant use.`,
    );
}

/** Other systems may know the machine by this address. */
export function assertAddressStays(
  what: string,
  node: NodeRecord | null,
  before: ResourceRecord,
  after: ResourceRecord,
): void {
  if (isInUse(node) && changes(before, after, 'address', 'node_uuid'))
    throw new ConflictError(
      'node_in_use',
      `Cannot update hardware address for ${what} ${before.uuid} as node ${node.uuid} is active or has instance UUID assigned`,
    );
}

async function assertMembership(stores: ResourceStores, port: Values): Promise<void> {
  const portgroup = await portgroupOf(stores, port);
  if (portgroup === undefined) return;
  assertStandalone(portgroup, port);
  await assertSameNetwork(stores, portgroup, port);
}

function assertRewirable(
  node: NodeRecord | null,
  before: ResourceRecord,
  after: ResourceRecord,
): void {
  if (!isRewirable(node) && changes(before, after, ...CONNECTIVITY))
    throw new ConflictError(
      'invalid_state',
      `Port ${before.uuid} can not have any connectivity attributes (${CONNECTIVITY.join(', ')}) updated unless node ${String(node?.uuid)} is in a ${CONNECTIVITY_STATES.join(', ')} state or in maintenance mode. The current state is ${String(node?.provision_state)}.`,
    );
}

async function portgroupOf(
  { resources }: ResourceStores,
  port: Values,
): Promise<ResourceRecord | undefined> {
  const uuid = port['portgroup_uuid'];
  if (typeof uuid !== 'string') return undefined;
  const portgroup = await resources.portgroups.findBy('uuid', uuid);
  // The group must be of the same node: a caller that may change the port sees all records of that node.
  if (portgroup === undefined || portgroup.node_uuid !== port['node_uuid'])
    throw linkRefused('portgroup_uuid');
  return portgroup;
}

function assertStandalone(portgroup: ResourceRecord, port: Values): void {
  if (portgroup.standalone_ports_supported === true || port['pxe_enabled'] !== true) return;
  throw new ConflictError(
    'standalone_port',
    `Port group ${portgroup.uuid} doesn't support standalone ports. This port cannot be a member of it while 'pxe_enabled' is True.`,
  );
}

/** Ports of a group carry the same network. */
async function assertSameNetwork(
  stores: ResourceStores,
  portgroup: ResourceRecord,
  port: Values,
): Promise<void> {
  const members = await portsOf(stores, portgroup);
  const others = members.filter(({ uuid }) => uuid !== port['uuid']);
  if (others.every((other) => other.physical_network === port['physical_network'])) return;
  throw new ConflictError(
    'physical_network',
    `Port group ${portgroup.uuid} has member ports with inconsistent physical networks. All ports in a port group must have the same physical network.`,
  );
}
