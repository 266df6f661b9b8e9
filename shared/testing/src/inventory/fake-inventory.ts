import {
  BadRequestError,
  type CallContext,
  ConflictError,
  nodeField,
  nodeInHandover,
  type NodeEvent,
  type NodeRecord,
} from '@tenure/contracts';
import { FakeAllocationStore } from './fake-allocation-store.js';
import { FakeHandovers, handOver } from './fake-handovers.js';
import { FakeLeases } from './fake-leases.js';
import { FakeNodePool } from './fake-node-pool.js';
import {
  assertConditions,
  assertCurrent,
  FakeRecords,
  type Fields,
  lockedError,
} from './records.js';

interface LockedNode {
  readonly node: NodeRecord;
  readonly fence: number;
  readonly previous: Readonly<
    Record<'provision_updated_at' | 'power_state', string | null> & { provision_state: string }
  >;
}

interface Lock {
  readonly holder: string;
  readonly fence: number;
}

interface Conductor {
  readonly hostname: string;
  readonly drivers: readonly string[];
  readonly conductor_group: string;
  readonly advertised_url: string;
}

const NOT_A_CONDUCTORS: ReadonlySet<string> = new Set([
  ...['uuid', 'created_at', 'updated_at', 'name', 'owner'],
  ...['allocation_uuid', 'conductor', 'reservation'],
]);

const isText = (value: unknown): boolean => typeof value === 'string';

/** Whether a conductor acts for another caller. */
const isOrder = ({ subject, action }: CallContext): boolean =>
  subject !== null || !(action.startsWith('tenure:') || action.includes(':ipa_'));

/** The inventory in memory, with the switches that tests need. A contract suite compares it with the real one. */
export class FakeInventory extends FakeRecords {
  /** Called before each lock is taken. */
  beforeReserve: () => void = () => undefined;
  /** Every write of a conductor. */
  readonly writes: {
    readonly uuid: string;
    readonly set: Fields;
    readonly context: CallContext;
  }[] = [];
  readonly reports: unknown[] = [];
  /** Reports about nodes that changed no field. */
  readonly events: (NodeEvent & { readonly uuid: string; readonly conductor: string })[] = [];
  /** By `<kind> of <uuid>`. */
  readonly documents = new Map<string, Fields>();
  readonly leases = new FakeLeases(this);
  readonly handovers = new FakeHandovers(this);
  readonly store = new FakeAllocationStore(this);
  readonly pool = new FakeNodePool(this);
  #beforeWrite: (caller: string) => void = () => undefined;
  readonly #conductors = new Map<string, Conductor>();
  readonly #deregistered = new Set<string>();

  /** A conductor of which nothing more is taken after so many writes, as if it had died. Returns whether it has. */
  dieAfter(writes: number, holder: string): () => boolean {
    let left = writes;
    this.#beforeWrite = (caller) => {
      if (caller !== holder) return;
      if (left === 0) throw new ConflictError('lock_lost', 'The conductor is dead.');
      left -= 1;
    };
    return () => left === 0;
  }

  revive(): void {
    this.#beforeWrite = () => undefined;
  }

  /** Breaks a lock, as an operator may. */
  breakLock(uuid: string): void {
    this.put({ ...this.node(uuid), reservation: null });
  }

  async getNode(context: CallContext, uuid: string): Promise<NodeRecord> {
    await this.answer('getNode', context);
    const node = this.node(uuid);
    assertCurrent(node, context);
    return node;
  }

  async listNodes(
    context: CallContext,
    page: {
      readonly limit: number;
      readonly marker?: string;
      readonly reservedBy?: string;
      readonly ofDeparted?: true;
      readonly leaseOver?: true;
      readonly inHandover?: true;
    },
  ): Promise<readonly NodeRecord[]> {
    await this.answer('listNodes', context);
    const all = [...this.nodes.values()];
    const from = all.findIndex(({ uuid }) => uuid === page.marker) + 1;
    if (page.marker !== undefined && from === 0)
      throw new BadRequestError('The marker is not a node.');
    const now = this.moment();
    const isWanted = ({ reservation, lease_end: end, handover_uuid: handover }: NodeRecord) =>
      (page.reservedBy === undefined || reservation === page.reservedBy) &&
      (page.ofDeparted === undefined || this.#isSilent(reservation)) &&
      (page.leaseOver === undefined || (typeof end === 'string' && end <= now)) &&
      (page.inHandover === undefined || typeof handover === 'string');
    return all.slice(from).filter(isWanted).slice(0, page.limit);
  }

  async reserve(
    context: CallContext,
    uuid: string,
    { holder, set = {} }: { readonly holder: string; readonly set?: Fields },
  ): Promise<LockedNode> {
    await this.answer('reserve', context, holder);
    this.#beforeWrite(holder);
    this.beforeReserve();
    assertConductors(set);
    const node = this.node(uuid);
    assertCurrent(node, context);
    if (node.reservation !== null) throw lockedError(node, context.obligations.fields.masked);
    assertServes(node, context);
    assertConditions(node, context);
    const touched = isOrder(context) ? { custody: { ...node.custody, touched: true } } : {};
    const lock = { reservation: holder, fence: node.fence + 1, ...touched };
    return this.#write(context, node, set, lock);
  }

  async takeOver(
    context: CallContext,
    uuid: string,
    { holder, from, fence }: Lock & { readonly from: string },
  ): Promise<LockedNode> {
    await this.answer('takeOver', context, holder);
    const node = this.node(uuid);
    if (node.reservation !== from || node.fence !== fence || !this.#isSilent(from))
      throw new ConflictError('node_locked', `The lock on node ${uuid} cannot be taken over.`);
    return this.#write(context, node, {}, { reservation: holder, fence: fence + 1 });
  }

  async change(
    context: CallContext,
    uuid: string,
    change: Lock & {
      readonly set: Fields;
      readonly release?: boolean;
      readonly handover?: 'complete';
    },
  ): Promise<LockedNode> {
    const { holder, set, release = false, handover } = change;
    await this.answer('change', context, holder);
    this.#beforeWrite(holder);
    assertConductors(set);
    const node = this.node(uuid);
    assertLockedBy(node, change);
    if (handover === 'complete') handOver(this, node);
    return this.#write(context, this.node(uuid), set, release ? { reservation: null } : {});
  }

  async recordEvent(
    context: CallContext,
    uuid: string,
    event: NodeEvent & { readonly conductor: string },
  ): Promise<void> {
    await this.answer('recordEvent', context, event.conductor);
    this.events.push({ uuid: this.node(uuid).uuid, ...event });
  }

  async getDocument(context: CallContext, uuid: string, kind: string): Promise<Fields | undefined> {
    await this.answer('getDocument', context);
    return this.nodes.has(uuid) ? this.documents.get(`${kind} of ${uuid}`) : undefined;
  }

  async putDocument(
    context: CallContext,
    uuid: string,
    kind: string,
    { holder, fence, document }: Partial<Lock> & { readonly document: Fields },
  ): Promise<void> {
    await this.answer('putDocument', context, holder);
    const node = this.node(uuid);
    if ((holder === undefined) !== (fence === undefined))
      throw new BadRequestError('holder and fence go together.');
    if (holder !== undefined && fence !== undefined) assertLockedBy(node, { holder, fence });
    this.documents.set(`${kind} of ${uuid}`, document);
  }

  async report(
    context: CallContext,
    hostname: string,
    report: Omit<Conductor, 'hostname'>,
  ): Promise<void> {
    await this.answer('report', context, hostname);
    this.reports.push({ hostname, ...report });
    const { drivers, conductor_group, advertised_url } = report;
    this.#conductors.set(hostname, { hostname, drivers, conductor_group, advertised_url });
    this.#deregistered.delete(hostname);
  }

  async deregister(context: CallContext, hostname: string): Promise<void> {
    await this.answer('deregister', context, hostname);
    this.#deregistered.add(hostname);
  }

  async listConductors(context: CallContext): Promise<readonly Conductor[]> {
    await this.answer('listConductors', context);
    return [...this.#conductors.values()]
      .filter(({ hostname }) => !this.#isSilent(hostname) && !this.#deregistered.has(hostname))
      .toSorted((one, other) => (one.hostname < other.hostname ? -1 : 1));
  }

  #isSilent(hostname: string | null): boolean {
    return hostname !== null && this.#conductors.has(hostname) && this.unheard.has(hostname);
  }

  #write(context: CallContext, before: NodeRecord, set: Fields, lock: Partial<NodeRecord>) {
    const { provision_state, provision_updated_at, power_state } = before;
    this.writes.push({ uuid: before.uuid, set, context });
    // A lessee with a lease stays until that ends.
    const kept = typeof before.lessee_until === 'string' ? { lessee: before.lessee } : {};
    const allocation = set['instance_uuid'] === null ? before.allocation_uuid : null;
    // An allocation goes with its instance.
    const freed = allocation === null ? {} : { allocation_uuid: null };
    if (allocation !== null) this.allocations.delete(allocation);
    const node = this.write(before, { ...set, ...kept, ...freed, ...lock });
    return {
      node,
      fence: node.fence,
      previous: { provision_state, provision_updated_at, power_state },
    };
  }
}

function assertConductors(set: Fields): void {
  for (const name of Object.keys(set))
    if (nodeField(name) === undefined || NOT_A_CONDUCTORS.has(name))
      throw new BadRequestError(`A conductor cannot set ${name}.`);
}

/** A node in a handover takes orders only from the callers that the policy has decided on. */
function assertServes(node: NodeRecord, context: CallContext): void {
  const { subject } = context;
  const scopes = [subject?.project_id, subject?.system_scope, subject?.domain_id];
  if (isText(node.handover_uuid) && isOrder(context) && !scopes.some(isText))
    throw nodeInHandover(node.uuid);
}

function assertLockedBy(node: NodeRecord, { holder, fence }: Lock): void {
  if (node.reservation !== holder || node.fence !== fence)
    throw new ConflictError(
      'lock_lost',
      `The lock on node ${node.uuid} has another holder, or was released.`,
    );
}
