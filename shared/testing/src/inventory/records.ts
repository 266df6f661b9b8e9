import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AllocationRecord,
  type CallContext,
  ConflictError,
  fieldOf,
  type HandoverRecord,
  type LeaseRecord,
  nodeInHandover,
  type NodeRecord,
  NotFoundError,
  type PolicyFilter,
  TenancyChangedError,
  timestampOf,
  UnavailableError,
} from '@tenure/contracts';
import { openedBy } from './custody.js';

export type Fields = Readonly<Record<string, unknown>>;

export const unavailable = (): UnavailableError =>
  new UnavailableError('The inventory service did not answer.');

/** The records of the inventory, and what can go wrong on the way to them. */
export class FakeRecords {
  /** Nothing answers while it is away. */
  away = false;
  /** Number of calls that fail before they take effect. */
  failures = 0;
  /** Every call takes a random time up to this. */
  maxDelayMs = 0;
  now: () => Date = () => new Date();
  /** Every call, in order. */
  readonly calls: { readonly name: string; readonly context: CallContext }[] = [];
  /** Conductors that are dead: their heartbeats are too old, and their calls fail. */
  readonly unheard = new Set<string>();
  // By uuid, in the order of creation.
  readonly nodes = new Map<string, NodeRecord>();
  readonly allocations = new Map<string, AllocationRecord>();
  readonly handoverRecords = new Map<string, HandoverRecord>();
  readonly leaseRecords = new Map<string, LeaseRecord>();

  constructor(nodes: readonly NodeRecord[] = []) {
    for (const node of nodes) this.put(node);
  }

  put(node: NodeRecord): NodeRecord {
    this.nodes.set(node.uuid, node);
    return node;
  }

  node(uuid: string): NodeRecord {
    const node = this.nodes.get(uuid);
    if (node === undefined) throw NotFoundError.of('Node', uuid);
    return node;
  }

  moment(): string {
    return timestampOf(this.now());
  }

  /** The next version of a node, and the handover that follows from it. */
  write(before: NodeRecord, set: Fields): NodeRecord {
    const after: NodeRecord = { ...before, ...set };
    const isMoved = before.owner !== after.owner || before.lessee !== after.lessee;
    const handover = openedBy(before, after, this.handoverRecords.get(before.handover_uuid ?? ''));
    if (handover !== undefined) {
      const plan = this.leaseRecords.get(handover.lease_uuid ?? '')?.on_end ?? handover.plan;
      this.handoverRecords.set(handover.uuid, { ...handover, plan });
    }
    return this.put({
      ...after,
      ...(handover !== undefined && { handover_uuid: handover.uuid }),
      updated_at: this.moment(),
      revision: before.revision + 1,
      tenancy_revision: before.tenancy_revision + (isMoved ? 1 : 0),
    });
  }

  /** Fails as a call does that does not arrive. */
  async answer(name: string, context: CallContext, caller?: string): Promise<void> {
    this.calls.push({ name, context });
    await (this.maxDelayMs > 0 ? sleep(Math.random() * this.maxDelayMs) : Promise.resolve());
    if (this.away || (caller !== undefined && this.unheard.has(caller))) throw unavailable();
    if (this.failures === 0) return;
    this.failures -= 1;
    throw unavailable();
  }
}

/** @throws TenancyChangedError when the decision of the context was made on another tenancy */
export function assertCurrent(
  { uuid, tenancy_revision }: Pick<NodeRecord, 'uuid' | 'tenancy_revision'>,
  { resources }: CallContext,
): void {
  if (resources.some((one) => one.uuid === uuid && one.tenancy_revision !== tenancy_revision))
    throw new TenancyChangedError();
}

/** @throws ConflictError `condition_not_met`, `node_in_handover` */
export function assertConditions(
  row: { readonly uuid: string },
  { obligations: { conditions = [] } }: CallContext,
): void {
  const violated = conditions.find((condition) => {
    const value = fieldOf(row, condition.field) ?? null;
    if (condition.op === 'null') return value !== null;
    return !Object.hasOwn(row, condition.field) || value === condition.value;
  });
  if (violated === undefined) return;
  if (violated.field === 'handover_uuid') throw nodeInHandover(row.uuid);
  throw new ConflictError(
    'condition_not_met',
    `The ${violated.field} of ${row.uuid} does not allow it; ${violated.action} is required.`,
  );
}

/** @param masked fields that are masked for the caller */
export function lockedError(node: NodeRecord, masked: readonly string[]): ConflictError {
  const holder = masked.includes('reservation') ? '' : ` by host ${String(node.reservation)}`;
  return new ConflictError(
    'node_locked',
    `Node ${node.uuid} is locked${holder}, please retry after the current operation is completed.`,
  );
}

export const isVisible = (
  row: object,
  {
    mode,
    predicates,
  }: Pick<PolicyFilter, 'mode'> & {
    readonly predicates: readonly { readonly field: string; readonly value: string }[];
  },
): boolean =>
  mode === 'all' ||
  (mode === 'any_of' && predicates.some(({ field, value }) => fieldOf(row, field) === value));
