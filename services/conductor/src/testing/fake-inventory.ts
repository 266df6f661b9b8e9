import {
  BadRequestError,
  type CallContext,
  ConflictError,
  type NodeRecord,
  NotFoundError,
  TenancyChangedError,
  UnavailableError,
} from '@tenure/contracts';
import { type Member } from '../domain/rendezvous.js';
import { type PreviousStates } from '../domain/transitions-seen.js';
import {
  type ConductorReport,
  type DocumentChange,
  type DocumentKind,
  type FencedChange,
  type InventoryPort,
  type LockedNode,
  type NodeEvent,
  type NodePage,
  type Reservation,
  type TakeOver,
} from '../ports/inventory-port.js';
import { FakeHandovers } from './fake-handovers.js';
import { FakeLeases } from './fake-leases.js';

type Fields = Readonly<Record<string, unknown>>;

// What the inventory takes from nobody's conductor.
const NOT_A_CONDUCTORS: ReadonlySet<string> = new Set([
  'uuid',
  'name',
  'owner',
  'allocation_uuid',
  'conductor',
  'reservation',
]);

const previousOf = (node: NodeRecord): PreviousStates => ({
  provision_state: node.provision_state,
  provision_updated_at: node.provision_updated_at,
  power_state: node.power_state,
});

/** One write, and its context. */
export interface RecordedWrite {
  readonly uuid: string;
  readonly set: Fields;
  readonly context: CallContext;
}

/** The inventory in memory, with the switches that tests need. */
export class FakeInventory implements InventoryPort {
  /** Nothing answers while it is away. */
  away = false;
  /** Conductors of which nothing is heard any more: they count as dead, and their reports and writes fail. */
  readonly unheard = new Set<string>();
  /** Called before each lock is taken. */
  beforeReserve: () => void = () => undefined;
  /** What a refusal of a lock says. */
  lockedSentence: (node: NodeRecord, context: CallContext) => string = (node) =>
    `Node ${node.uuid} is locked by host ${String(node.reservation)}, please retry after the current operation is completed.`;
  readonly writes: RecordedWrite[] = [];
  readonly reports: unknown[] = [];
  /** What was told of nodes that changed nothing of them. */
  readonly events: (NodeEvent & { readonly uuid: string })[] = [];
  /** By `<kind> of <uuid>`. */
  readonly documents = new Map<string, Fields>();
  readonly leases = new FakeLeases((uuid) => {
    this.put({ ...this.node(uuid), lease_uuid: null });
  });
  readonly handovers = new FakeHandovers(({ uuid, node_uuid: nodeUuid }) => {
    const node = this.node(nodeUuid);
    if (node.handover_uuid === uuid) this.put({ ...node, handover_uuid: null });
  });
  #beforeWrite: (caller: string) => void = () => undefined;
  readonly #nodes = new Map<string, NodeRecord>();
  readonly #conductors = new Map<string, Member>();
  readonly #deregistered = new Set<string>();

  put(node: NodeRecord): NodeRecord {
    this.#nodes.set(node.uuid, node);
    return node;
  }

  node(uuid: string): NodeRecord {
    const node = this.#nodes.get(uuid);
    if (node === undefined) throw NotFoundError.of('Node', uuid);
    return node;
  }

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
    await this.#answer();
    return this.#current(context, uuid);
  }

  async listNodes(_context: CallContext, page: NodePage): Promise<readonly NodeRecord[]> {
    await this.#answer();
    const chosen = [...this.#nodes.values()].filter(
      ({ lease_uuid: lease = null, handover_uuid: handover = null }) =>
        (page.inHandover === undefined || handover !== null) &&
        (page.leaseOver === undefined || (lease !== null && this.leases.isOver(lease))),
    );
    const all = chosen.filter(
      ({ reservation }) =>
        (page.reservedBy === undefined || reservation === page.reservedBy) &&
        (page.ofDeparted === undefined || this.#isSilent(reservation)),
    );
    const from =
      page.marker === undefined ? 0 : all.findIndex(({ uuid }) => uuid === page.marker) + 1;
    return all.slice(from, from + page.limit);
  }

  async reserve(
    context: CallContext,
    uuid: string,
    { holder, set = {} }: Reservation,
  ): Promise<LockedNode> {
    await this.#answer(holder);
    this.#beforeWrite(holder);
    this.beforeReserve();
    const node = this.#current(context, uuid);
    if (node.reservation !== null)
      throw new ConflictError('node_locked', this.lockedSentence(node, context));
    const fence = node.fence + 1;
    const taken = this.#store(context, { ...node, reservation: holder, fence }, set);
    return { node: taken, fence, previous: previousOf(node) };
  }

  async takeOver(
    context: CallContext,
    uuid: string,
    { holder, from, fence }: TakeOver,
  ): Promise<LockedNode> {
    await this.#answer(holder);
    const node = this.node(uuid);
    if (node.reservation !== from || node.fence !== fence || !this.#isSilent(from))
      throw new ConflictError('node_locked', `The lock on node ${uuid} is not to be taken over.`);
    const taken = { ...node, reservation: holder, fence: fence + 1 };
    const stored = this.#store(context, taken, {});
    return { node: stored, fence: fence + 1, previous: previousOf(node) };
  }

  async change(
    context: CallContext,
    uuid: string,
    { holder, fence, set, release, handover }: FencedChange,
  ): Promise<LockedNode> {
    await this.#answer(holder);
    this.#beforeWrite(holder);
    const node = this.node(uuid);
    if (node.reservation !== holder || node.fence !== fence)
      throw new ConflictError(
        'lock_lost',
        `The lock on node ${uuid} is held by another, or was released.`,
      );
    if (handover === 'complete') this.handovers.completed(node.handover_uuid ?? '');
    const held = this.node(uuid);
    return {
      node: this.#store(context, release === true ? { ...held, reservation: null } : held, set),
      fence,
      previous: previousOf(node),
    };
  }

  async recordEvent(_context: CallContext, uuid: string, event: NodeEvent): Promise<void> {
    await this.#answer(event.conductor);
    this.events.push({ uuid: this.node(uuid).uuid, ...event });
  }

  async getDocument(
    _context: CallContext,
    uuid: string,
    kind: DocumentKind,
  ): Promise<Fields | undefined> {
    await this.#answer();
    this.node(uuid);
    return this.documents.get(`${kind} of ${uuid}`);
  }

  async putDocument(
    _context: CallContext,
    uuid: string,
    kind: DocumentKind,
    { holder, fence, document }: DocumentChange,
  ): Promise<void> {
    await this.#answer(holder);
    const node = this.node(uuid);
    if (holder !== undefined && (node.reservation !== holder || node.fence !== fence))
      throw new ConflictError('lock_lost', `The lock on node ${uuid} is held by another.`);
    this.documents.set(`${kind} of ${uuid}`, document);
  }

  async report(_context: CallContext, hostname: string, report: ConductorReport): Promise<void> {
    await this.#answer(hostname);
    this.reports.push({ hostname, ...report });
    const { drivers, conductor_group, advertised_url } = report;
    this.#conductors.set(hostname, { hostname, drivers, conductor_group, advertised_url });
    this.#deregistered.delete(hostname);
  }

  async deregister(_context: CallContext, hostname: string): Promise<void> {
    await this.#answer(hostname);
    if (this.#conductors.has(hostname)) this.#deregistered.add(hostname);
  }

  async listConductors(): Promise<readonly Member[]> {
    await this.#answer();
    return [...this.#conductors.values()].filter(
      ({ hostname }) => !this.#isSilent(hostname) && !this.#deregistered.has(hostname),
    );
  }

  #isSilent(hostname: string | null): boolean {
    return hostname !== null && this.#conductors.has(hostname) && this.unheard.has(hostname);
  }

  async #answer(caller?: string): Promise<void> {
    await Promise.resolve();
    if (this.away || (caller !== undefined && this.unheard.has(caller)))
      throw new UnavailableError('The inventory service did not answer.');
  }

  #current(context: CallContext, uuid: string): NodeRecord {
    const node = this.node(uuid);
    const stated = context.resources.find((resource) => resource.uuid === uuid);
    if (stated !== undefined && stated.tenancy_revision !== node.tenancy_revision)
      throw new TenancyChangedError();
    return node;
  }

  #store(context: CallContext, node: NodeRecord, set: Fields): NodeRecord {
    const forbidden = Object.keys(set).find((name) => NOT_A_CONDUCTORS.has(name));
    if (forbidden !== undefined) throw new BadRequestError(`A conductor cannot set ${forbidden}.`);
    this.writes.push({ uuid: node.uuid, set, context });
    // An allocation goes with its instance.
    const kept = set['instance_uuid'] === null ? { ...node, allocation_uuid: null } : node;
    return this.put({ ...kept, ...set, revision: node.revision + 1 });
  }
}
