import {
  AppError,
  type CallContext,
  ConflictError,
  type NewServer,
  NotFoundError,
  type PolicyFilter,
  type ServerRecord,
  TenancyChangedError,
  UnavailableError,
} from '@tenure/contracts';
import { type Allocations, type NodeVerbs, type PlacedNode } from '../ports/machines.js';
import { type ServerPage, type ServerStore } from '../ports/server-store.js';

/** A node of the fake fleet, as the conductor and the inventory would have it. */
export interface FakeNode {
  uuid: string;
  instance: string | null;
  allocation: string | null;
  provision_state: string;
  provision_updated_at: string;
  power_state: string | null;
  target_power_state: string | null;
  reserved: boolean;
  last_error: string | null;
  deploy_interface: string | null;
  tenancy_revision: number;
  vifs: string[];
  info: Readonly<Record<string, unknown>>;
  drive: Readonly<Record<string, unknown>> | null;
}

const TRANSIENT_STATES: Readonly<Record<string, string>> = {
  active: 'deploying',
  rebuild: 'deploying',
  deleted: 'deleting',
  rescue: 'rescuing',
  unrescue: 'unrescuing',
};

/**
 * Inventory, allocation service and conductor in memory, with true compare-and-set. An order to the conductor is
 * in progress until `finishAll` is called, as on real machines.
 */
export class World {
  readonly servers = new Map<string, ServerRecord>();
  readonly nodes: FakeNode[];
  readonly allocations = new Map<string, 'allocating' | 'active' | 'error'>();
  /** Every order that had an effect, in order. */
  readonly orders: string[] = [];
  /** Calls that fail before they take effect, as if the service were unavailable. */
  failures = 0;
  /** Calls that take effect and whose answer is lost. */
  lost = 0;
  /** Permanent errors of the conductor or the allocation service, by order. */
  readonly refusals = new Map<string, AppError>();
  /** Runs before every call. */
  before: (name: string) => void = () => undefined;
  #ticks = 0;

  constructor(nodes: FakeNode[] = []) {
    this.nodes = nodes;
  }

  add(server: NewServer): ServerRecord {
    const record = { ...server, revision: 1, tenancy_revision: 1 };
    this.servers.set(record.uuid, record);
    return record;
  }

  server(uuid: string): ServerRecord {
    const found = this.servers.get(uuid);
    if (found === undefined) throw NotFoundError.of('Server', uuid);
    return found;
  }

  /** Everything that is under way ends well, or badly where it is said so. */
  finishAll(failing: readonly string[] = []): void {
    for (const [uuid, state] of this.allocations) if (state === 'allocating') this.#allocate(uuid);
    for (const node of this.nodes) this.#finishNode(node, failing);
  }

  #allocate(uuid: string): void {
    const node = this.nodes.find(
      ({ provision_state: state, allocation }) => state === 'available' && allocation === null,
    );
    this.allocations.set(uuid, node === undefined ? 'error' : 'active');
    if (node === undefined) return;
    node.allocation = uuid;
    node.instance = uuid;
  }

  #finishNode(node: FakeNode, failing: readonly string[]): void {
    if (node.target_power_state !== null) {
      if (failing.includes(node.target_power_state)) node.last_error = 'it failed';
      else node.power_state = node.target_power_state;
      node.target_power_state = null;
    }
    this.#finishProvision(node, failing.includes(node.provision_state));
    node.reserved = false;
  }

  #finishProvision(node: FakeNode, isFailing: boolean): void {
    const ends: Readonly<Record<string, readonly [good: string, bad: string]>> = {
      deploying: ['active', 'deploy failed'],
      rescuing: ['rescue', 'rescue failed'],
      unrescuing: ['active', 'unrescue failed'],
      deleting: ['available', 'error'],
    };
    const [good, bad] = ends[node.provision_state] ?? [];
    if (good === undefined || bad === undefined) return;
    const wasDeleting = node.provision_state === 'deleting';
    node.provision_state = isFailing ? bad : good;
    this.#ticks += 1;
    node.provision_updated_at = String(this.#ticks);
    if (isFailing) return;
    node.power_state = wasDeleting ? 'power off' : 'power on';
    if (!wasDeleting) return;
    if (node.allocation !== null) this.allocations.delete(node.allocation);
    Object.assign(node, { instance: null, allocation: null, info: {} });
  }

  async #call<T>(name: string, effect: () => T): Promise<T> {
    this.before(name);
    await Promise.resolve();
    if (this.failures > 0) {
      this.failures -= 1;
      throw new UnavailableError('unavailable');
    }
    const result = effect();
    if (this.lost > 0) {
      this.lost -= 1;
      throw new UnavailableError('the answer is lost');
    }
    return result;
  }

  /** @throws NotFoundError; TenancyChangedError; ConflictError unless it is at `revision`, where that is given */
  #current(uuid: string, { resources }: CallContext, revision?: number): ServerRecord {
    const found = this.server(uuid);
    if (
      resources.some((one) => one.uuid === uuid && one.tenancy_revision !== found.tenancy_revision)
    )
      throw new TenancyChangedError();
    if (revision !== undefined && revision !== found.revision)
      throw new ConflictError('revision_conflict', 'another was quicker');
    return found;
  }

  readonly store: ServerStore = {
    create: (server) =>
      this.#call('create', () => {
        if (this.servers.has(server.uuid))
          throw new ConflictError('duplicate', `A server with UUID ${server.uuid} already exists.`);
        return this.add(server);
      }),
    find: (uuid, context) => this.#call('find', () => this.#current(uuid, context)),
    list: (query, limit, { obligations: { filter } }) =>
      this.#call('list', () => this.#listed(query, limit, filter)),
    update: ({ uuid, revision }, set, context) =>
      this.#call('update', () => {
        const current = this.#current(uuid, context, revision);
        const after = { ...current, ...set, revision: revision + 1 };
        this.servers.set(uuid, after);
        return after;
      }),
    remove: ({ uuid, revision }, context) =>
      this.#call('remove', () => {
        this.servers.delete(this.#current(uuid, context, revision).uuid);
      }),
    placement: (uuid) =>
      this.#call('placement', () => {
        const state = this.allocations.get(uuid);
        const node = this.nodes.find(({ instance }) => instance === uuid);
        return {
          allocation: state === undefined ? null : { state, tenancy_revision: 1 },
          node: node === undefined ? null : this.#placed(node),
        };
      }),
    writeInstance: (uuid, info) =>
      this.#call('writeInstance', () => {
        const node = this.nodes.find(({ allocation }) => allocation === uuid);
        if (node === undefined) throw NotFoundError.of('Node of server', uuid);
        node.info = info;
      }),
  };

  #listed(
    query: Readonly<Record<string, string>>,
    limit: number,
    { mode, predicates }: PolicyFilter,
  ): ServerPage {
    const isVisible = ({ project_id: project }: ServerRecord): boolean =>
      mode === 'all' || (mode === 'any_of' && predicates.some(({ value }) => value === project));
    const { marker } = query;
    const rows = [...this.servers.values()].filter(isVisible);
    const start = marker === undefined ? 0 : rows.findIndex(({ uuid }) => uuid === marker) + 1;
    if (marker !== undefined && start === 0) throw NotFoundError.of('Server', marker);
    const isWanted = (server: ServerRecord): boolean =>
      (query['project_id'] ?? server.project_id) === server.project_id &&
      (query['pending'] === undefined ||
        (query['pending'] === 'true') === (server.task_state !== null)) &&
      (query['status'] ?? server.status).split(',').includes(server.status);
    const found = rows.slice(start).filter(isWanted);
    return { servers: found.slice(0, limit), more: found.length > limit };
  }

  #placed(node: FakeNode): PlacedNode {
    const { uuid, tenancy_revision, provision_state, provision_updated_at, reserved } = node;
    const { power_state, target_power_state, deploy_interface, last_error, vifs } = node;
    return {
      ...{ uuid, tenancy_revision, provision_state, provision_updated_at, reserved },
      ...{ power_state, target_power_state, deploy_interface, last_error },
      maintenance: false,
      vifs: vifs.map((id) => ({ id, address: null })),
    };
  }

  #order(requested: PlacedNode, order: string, effect: (node: FakeNode) => void): Promise<void> {
    return this.#call(order, () => {
      const node = this.nodes.find(({ uuid }) => uuid === requested.uuid);
      if (node === undefined) throw NotFoundError.of('Node', requested.uuid);
      if (node.tenancy_revision !== requested.tenancy_revision) throw new TenancyChangedError();
      if (node.reserved)
        throw new AppError('refused', 409, `Node ${node.uuid} is locked by host c`);
      const refusal = this.refusals.get(order);
      if (refusal !== undefined) throw refusal;
      this.orders.push(order);
      effect(node);
    });
  }

  readonly allocator: Allocations = {
    request: ({ uuid }) =>
      this.#call('allocate', () => {
        if (this.allocations.has(uuid)) return;
        const refusal = this.refusals.get('allocate');
        if (refusal !== undefined) throw refusal;
        this.orders.push('allocate');
        this.allocations.set(uuid, 'allocating');
      }),
    release: (uuid) =>
      this.#call('release', () => {
        const node = this.nodes.find(({ allocation }) => allocation === uuid);
        if (node !== undefined && node.provision_state !== 'available')
          throw new ConflictError('node_in_use', 'the node is in use');
        this.orders.push('release');
        this.allocations.delete(uuid);
        if (node !== undefined) Object.assign(node, { instance: null, allocation: null });
      }),
  };

  readonly verbs: NodeVerbs = {
    provision: (node, { target, configdrive }) =>
      this.#order(node, target, (found) => {
        found.provision_state = TRANSIENT_STATES[target] ?? target;
        found.reserved = true;
        found.drive = configdrive ?? found.drive;
        this.#ticks += 1;
        found.provision_updated_at = String(this.#ticks);
      }),
    power: (node, { target }) =>
      this.#order(node, target, (found) => {
        found.target_power_state = target.endsWith('off') ? 'power off' : 'power on';
        found.last_error = null;
        found.reserved = true;
      }),
    attach: (node, { id }) =>
      this.#order(node, `attach ${id}`, (found) => {
        found.vifs.push(id);
      }),
    detach: (node, vif) =>
      this.#order(node, `detach ${vif}`, (found) => {
        found.vifs = found.vifs.filter((id) => id !== vif);
      }),
    injectNmi: (node) => this.#order(node, 'nmi', () => undefined),
  };
}

export const fakeNode = (uuid: string, node: Partial<FakeNode> = {}): FakeNode => ({
  uuid,
  instance: null,
  allocation: null,
  provision_state: 'available',
  provision_updated_at: '0',
  power_state: 'power off',
  target_power_state: null,
  reserved: false,
  last_error: null,
  deploy_interface: 'direct',
  tenancy_revision: 1,
  vifs: [],
  info: {},
  drive: null,
  ...node,
});
