import { type AllocationRecord, type NodeRecord } from '@tenure/contracts';
import { isInHandover } from './custody.js';
import { isVisible, NODE_FILTER_FIELDS } from './visibility.js';

type Demand = Pick<
  AllocationRecord,
  'resource_class' | 'traits' | 'candidate_nodes' | 'candidate_filter'
>;

/** Whether a node could be taken by anybody: the conditions of every allocation. */
export const isFree = (node: NodeRecord): boolean =>
  node.provision_state === 'available' &&
  node.instance_uuid === null &&
  node.allocation_uuid === null &&
  node.reservation === null &&
  !isInHandover(node) &&
  !node.maintenance &&
  node.power_state !== null;

/** Whether a node that is in use may be recorded as held by this allocation: in any state, but by nobody else. */
export const isFreeForBackfill = (
  node: NodeRecord,
  { uuid }: Pick<AllocationRecord, 'uuid'>,
): boolean =>
  node.allocation_uuid === null &&
  node.reservation === null &&
  !isInHandover(node) &&
  (node.instance_uuid === null || node.instance_uuid === uuid);

/**
 * Whether a free node is one that this allocation may take. Checked again when it is taken: owner, lessee, class and
 * traits may have changed since it was proposed.
 */
export const suits = (node: NodeRecord, demand: Demand): boolean =>
  (demand.resource_class === null || node.resource_class === demand.resource_class) &&
  demand.traits.every((trait) => node.traits.includes(trait)) &&
  (demand.candidate_nodes.length === 0 || demand.candidate_nodes.includes(node.uuid)) &&
  isVisible(
    node,
    { mode: demand.candidate_filter.mode, predicates: [...demand.candidate_filter.predicates] },
    NODE_FILTER_FIELDS,
  );

/** The node as taken by the allocation: as in Ironic, the allocation's uuid becomes the instance's. */
export const taken = (
  node: NodeRecord,
  allocation: Pick<AllocationRecord, 'uuid' | 'traits'>,
): NodeRecord => ({
  ...node,
  allocation_uuid: allocation.uuid,
  instance_uuid: allocation.uuid,
  instance_info: {
    ...(node['instance_info'] as Record<string, unknown>),
    traits: [...allocation.traits],
  }, // an object on every node
});

/** The node as released by the allocation that held it. */
export const released = (node: NodeRecord): NodeRecord => {
  const info = Object.entries(node['instance_info'] as object); // an object on every node
  return {
    ...node,
    allocation_uuid: null,
    instance_uuid: node.instance_uuid === node.allocation_uuid ? null : node.instance_uuid,
    instance_info: Object.fromEntries(info.filter(([name]) => name !== 'traits')),
  };
};
