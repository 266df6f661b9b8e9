import {
  type AllocationRecord,
  type CallContext,
  ConflictError,
  type NodeRecord,
  type PolicyFilter,
} from '@tenure/contracts';
import { allocationIn, writeAllocation } from './fake-allocation-store.js';
import { assertConditions, type FakeRecords, isVisible, unavailable } from './records.js';

type Demand = Pick<
  AllocationRecord,
  'resource_class' | 'traits' | 'candidate_nodes' | 'candidate_filter'
>;

const isUnheld = (node: NodeRecord): boolean =>
  node.allocation_uuid === null &&
  node.reservation === null &&
  typeof node.handover_uuid !== 'string';

const isFree = (node: NodeRecord): boolean =>
  isUnheld(node) &&
  node.provision_state === 'available' &&
  node.instance_uuid === null &&
  !node.maintenance &&
  node.power_state !== null;

const suits = (node: NodeRecord, demand: Demand): boolean =>
  [null, node.resource_class].includes(demand.resource_class) &&
  demand.traits.every((trait) => node.traits.includes(trait)) &&
  (demand.candidate_nodes.length === 0 || demand.candidate_nodes.includes(node.uuid)) &&
  isAllowed(node, demand.candidate_filter);

/** The nodes that allocations take. */
export class FakeNodePool {
  /** Claims whose effect happens and whose answer is lost. */
  lostClaims = 0;
  /** Called before each claim. */
  beforeClaim: () => void = () => undefined;
  readonly #records: FakeRecords;

  constructor(records: FakeRecords) {
    this.#records = records;
  }

  async candidates(
    query: Omit<Demand, 'candidate_filter'> & {
      readonly name?: string;
      readonly filter: PolicyFilter;
      readonly limit: number;
    },
    context: CallContext,
  ): Promise<readonly { readonly uuid: string }[]> {
    await this.#records.answer('candidates', context);
    const demand = { ...query, candidate_filter: query.filter };
    return [...this.#records.nodes.values()]
      .filter((node) => isFree(node) && suits(node, demand))
      .filter(({ name }) => query.name === undefined || name === query.name)
      .slice(0, query.limit);
  }

  async resolve(
    idents: readonly string[],
    filter: PolicyFilter,
    context: CallContext,
  ): Promise<{
    readonly found: readonly { readonly ident: string; readonly uuid: string }[];
    readonly missing: readonly string[];
  }> {
    await this.#records.answer('resolve', context);
    const nodes = [...this.#records.nodes.values()].filter((node) => isVisible(node, filter));
    const found = idents.flatMap((ident) =>
      nodes
        .filter(({ uuid, name }) => uuid === ident.toLowerCase() || name === ident)
        .map(({ uuid }) => ({ ident, uuid })),
    );
    return { found, missing: idents.filter((ident) => !found.some((hit) => hit.ident === ident)) };
  }

  async claim(uuid: string, nodeUuid: string, context: CallContext): Promise<AllocationRecord> {
    await this.#records.answer('claim', context);
    return this.#claim(uuid, nodeUuid, context, isFree);
  }

  async backfill(uuid: string, nodeUuid: string, context: CallContext): Promise<AllocationRecord> {
    await this.#records.answer('backfill', context);
    return this.#claim(
      uuid,
      nodeUuid,
      context,
      (node) => isUnheld(node) && [null, uuid].includes(node.instance_uuid),
    );
  }

  #claim(
    uuid: string,
    nodeUuid: string,
    context: CallContext,
    isFreeNow: (node: NodeRecord) => boolean,
  ): AllocationRecord {
    const records = this.#records;
    this.beforeClaim();
    const allocation = allocationIn(records, uuid, context);
    assertConditions(allocation, context);
    if (allocation.state === 'active') return allocation;
    if (allocation.state === 'error')
      throw new ConflictError('allocation_failed', `Allocation ${uuid} is in state error.`);
    const node = records.node(nodeUuid);
    if (!isFreeNow(node) || !suits(node, allocation))
      throw new ConflictError(
        'node_taken',
        `Node ${nodeUuid} is not available for this allocation.`,
      );
    const instance_info = { ...node.instance_info, traits: [...allocation.traits] };
    records.write(node, { allocation_uuid: uuid, instance_uuid: uuid, instance_info });
    const resource_class = allocation.resource_class ?? node.resource_class;
    const taken = {
      state: 'active',
      node_uuid: nodeUuid,
      resource_class,
      last_error: null,
    } as const;
    const claimed = writeAllocation(records, allocation, taken);
    if (this.lostClaims === 0) return claimed;
    this.lostClaims -= 1;
    throw unavailable();
  }
}

/** Only the lessee of a leased node may use it; before and after the lease no project may. */
function isAllowed(node: NodeRecord, { mode, predicates }: Demand['candidate_filter']): boolean {
  if (typeof node.lease_uuid !== 'string') return isVisible(node, { mode, predicates });
  const ofLessee = predicates.filter(({ field }) => field === 'lessee');
  return (
    mode === 'any_of' &&
    typeof node.lessee_until === 'string' &&
    isVisible(node, { mode, predicates: ofLessee })
  );
}
