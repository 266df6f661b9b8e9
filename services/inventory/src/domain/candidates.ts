import { type AllocationRecord, type NodeRecord, type PolicyFilter } from '@tenure/contracts';
import { isInHandover } from './custody.js';
import { isVisible, NODE_FILTER_FIELDS, restrictionOf } from './visibility.js';

type Demand = Pick<
  AllocationRecord,
  'resource_class' | 'traits' | 'candidate_nodes' | 'candidate_filter'
>;

const OF_LESSEE = 'lessee';

/** A condition on a node, as a part of a query. */
interface NodeCondition {
  readonly field: string;
  readonly op: 'null' | 'not_null';
}

/** Nodes of which one of `anyOf`, if it is not null, and all of `where` hold. */
interface NodeRestriction {
  readonly anyOf:
    | readonly {
        readonly field: string;
        readonly value: string;
        readonly and: readonly NodeCondition[];
      }[]
    | null;
  readonly where: readonly NodeCondition[];
}

const UNLEASED: NodeCondition = { field: 'lease_uuid', op: 'null' };
const LEASE_LASTS: NodeCondition = { field: 'lessee_until', op: 'not_null' };

/** Whether a node is free, whatever its tenancy: the conditions of every allocation. */
export const isFree = (node: NodeRecord): boolean =>
  node.provision_state === 'available' &&
  node.instance_uuid === null &&
  node.allocation_uuid === null &&
  node.reservation === null &&
  !isInHandover(node) &&
  !node.maintenance &&
  node.power_state !== null;

/**
 * Whether a node that is in use may be recorded as this allocation's: in any state, but only if it has no other
 * allocation.
 */
export const isFreeForBackfill = (
  node: NodeRecord,
  { uuid }: Pick<AllocationRecord, 'uuid'>,
): boolean =>
  node.allocation_uuid === null &&
  node.reservation === null &&
  !isInHandover(node) &&
  (node.instance_uuid === null || node.instance_uuid === uuid);

/** The nodes that allocations of this filter may take as far as tenancy goes, as a part of a query. */
export function allowedNodes(filter: PolicyFilter): NodeRestriction {
  const restriction = restrictionOf(filter, NODE_FILTER_FIELDS);
  if (restriction === null) return { anyOf: null, where: [UNLEASED] };
  const anyOf = restriction.flatMap((one) => [
    { ...one, and: [UNLEASED] },
    ...(one.field === OF_LESSEE ? [{ ...one, and: [LEASE_LASTS] }] : []),
  ]);
  return { anyOf, where: [] };
}

/**
 * Whether a free node is one that this allocation may take. Checked again when it is taken: owner, lessee, class and
 * traits may have changed since it was proposed.
 */
export const suits = (node: NodeRecord, demand: Demand): boolean =>
  (demand.resource_class === null || node.resource_class === demand.resource_class) &&
  demand.traits.every((trait) => node.traits.includes(trait)) &&
  (demand.candidate_nodes.length === 0 || demand.candidate_nodes.includes(node.uuid)) &&
  isAllowed(node, demand.candidate_filter);

/** The node as taken by the allocation: as in Ironic, the allocation's uuid becomes the instance's. */
export const taken = (
  node: NodeRecord,
  allocation: Pick<AllocationRecord, 'uuid' | 'traits'>,
): NodeRecord => ({
  ...node,
  allocation_uuid: allocation.uuid,
  instance_uuid: allocation.uuid,
  instance_info: { ...node.instance_info, traits: [...allocation.traits] },
});

/** The node without its allocation. */
export function released(node: NodeRecord): NodeRecord {
  const info = Object.entries(node.instance_info);
  return {
    ...node,
    allocation_uuid: null,
    instance_uuid: node.instance_uuid === node.allocation_uuid ? null : node.instance_uuid,
    instance_info: Object.fromEntries(info.filter(([name]) => name !== 'traits')),
  };
}

/**
 * Whether the tenancy of a node allows an allocation of this filter to take it. Only its lessee takes a leased node,
 * from the start of the lease to its end; before and after that nobody does, including its owner and the system.
 */
function isAllowed(node: NodeRecord, { mode, predicates }: Demand['candidate_filter']): boolean {
  if (!isLeased(node))
    return isVisible(node, { mode, predicates: [...predicates] }, NODE_FILTER_FIELDS);
  const ofLessee = predicates.filter(({ field }) => field === OF_LESSEE);
  return (
    mode === 'any_of' &&
    typeof node.lessee_until === 'string' &&
    isVisible(node, { mode, predicates: ofLessee }, NODE_FILTER_FIELDS)
  );
}

/** Whether a lease holds the node: it is to come, it lasts, or the machine is still being cleared after it. */
const isLeased = ({ lease_uuid: lease }: NodeRecord): boolean => typeof lease === 'string';
