import { type CallContext, type NodeRecord } from '@tenure/contracts';
import { type InterfaceChoices } from '../domain/interfaces.js';
import { type Member } from '../domain/rendezvous.js';
import { type PreviousStates } from '../domain/transitions-seen.js';

/** A node under lock. `fence`, its fencing number, proves that the lock is this one and not a later one. */
export interface LockedNode {
  readonly node: NodeRecord;
  readonly fence: number;
  /** Of the row that the write replaced. */
  readonly previous: PreviousStates;
}

/** An event of a node that changed no field of it. */
interface NodeEvent {
  /** Name of the conductor that reports the event. */
  readonly conductor: string;
  readonly severity: 'ERROR' | 'INFO';
  /** A sentence. */
  readonly event: string;
  readonly event_type: string | null;
}

interface Reservation {
  readonly holder: string;
  /** Fields written together with the lock. */
  readonly set?: Readonly<Record<string, unknown>>;
}

/** Proves that a conductor still owns a certain lock. */
export interface LockProof {
  readonly holder: string;
  readonly fence: number;
}

interface FencedChange extends LockProof {
  readonly set: Readonly<Record<string, unknown>>;
  readonly release?: boolean;
  /** The node is handed over with this very write. */
  readonly handover?: 'complete';
}

/** A lock to be taken over: the one that `from` took with this fence. */
interface TakeOver {
  readonly holder: string;
  readonly from: string;
  readonly fence: number;
}

/** Which nodes to list when not all of them. */
export interface NodeChoice {
  /** Those whose lock this conductor holds. */
  readonly reservedBy?: string;
  /** Those whose lock a conductor holds that reported once and is alive no more. */
  readonly ofDeparted?: true;
  /** Those whose lease is over, and which are not cleared yet. */
  readonly leaseOver?: true;
  /** Those that are being handed over. */
  readonly inHandover?: true;
}

/** Those after `marker`, at most `limit`. */
export interface NodePage extends NodeChoice {
  readonly limit: number;
  readonly marker?: string;
}

export interface ConductorReport {
  readonly drivers: readonly string[];
  readonly conductor_group: string;
  /** Where the other conductors reach this one. */
  readonly advertised_url: string;
  /** Seconds without a heartbeat after which the conductor counts as dead. */
  readonly timeout_seconds: number;
  /** By driver, then by interface type. */
  readonly interfaces: Readonly<Record<string, InterfaceChoices>>;
}

/** Kinds of documents that are stored beside a node, one of each kind. */
export type DocumentKind = 'bios' | 'firmware' | 'inventory';

/** `holder` and `fence` prove a lock; without them the document is written whether or not the node is locked. */
interface DocumentChange {
  readonly holder?: string;
  readonly fence?: number;
  readonly document: Readonly<Record<string, unknown>>;
}

/**
 * The system of record, as the conductor needs it. Everything throws `AppError`: `node_locked`, `lock_lost` (409),
 * `tenancy_changed` (412, as `TenancyChangedError`), `not_found` (404), `unavailable` (503).
 */
export interface InventoryPort {
  readonly getNode: (context: CallContext, uuid: string) => Promise<NodeRecord>;
  /** Nodes in a stable order; fewer than `limit` when there are no more. */
  readonly listNodes: (context: CallContext, page: NodePage) => Promise<readonly NodeRecord[]>;
  readonly reserve: (
    context: CallContext,
    uuid: string,
    reservation: Reservation,
  ) => Promise<LockedNode>;
  /** Throws `node_locked` unless the lock is still that one, and its holder departed. The fence grows. */
  readonly takeOver: (
    context: CallContext,
    uuid: string,
    takeOver: TakeOver,
  ) => Promise<LockedNode>;
  readonly change: (
    context: CallContext,
    uuid: string,
    change: FencedChange,
  ) => Promise<LockedNode>;
  /** Undefined when there is none. */
  readonly getDocument: (
    context: CallContext,
    uuid: string,
    kind: DocumentKind,
  ) => Promise<Readonly<Record<string, unknown>> | undefined>;
  readonly putDocument: (
    context: CallContext,
    uuid: string,
    kind: DocumentKind,
    change: DocumentChange,
  ) => Promise<void>;
  /** Adds to the history of the node, whether or not it is locked. */
  readonly recordEvent: (context: CallContext, uuid: string, event: NodeEvent) => Promise<void>;
  readonly report: (
    context: CallContext,
    hostname: string,
    report: ConductorReport,
  ) => Promise<void>;
  /** Deregisters a conductor: it is listed as dead and gets no more orders; it keeps its locks until its last heartbeat expires. */
  readonly deregister: (context: CallContext, hostname: string) => Promise<void>;
  /** Those that are alive. */
  readonly listConductors: (context: CallContext) => Promise<readonly Member[]>;
}
