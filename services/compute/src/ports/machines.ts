import {
  type CallContext,
  type PolicyFilter,
  type ServerPlacement,
  type ServerRecord,
} from '@tenure/contracts';

export type PlacedNode = NonNullable<ServerPlacement['node']>;
type PlacedAllocation = NonNullable<ServerPlacement['allocation']>;

/** Allocates and releases nodes. The allocation of a server has the server's own uuid. */
export interface Allocations {
  /** Safe to repeat. */
  readonly request: (
    server: Pick<ServerRecord, 'uuid' | 'project_id' | 'resource_class' | 'traits'>,
    filter: PolicyFilter,
    context: CallContext,
  ) => Promise<void>;
  /** Safe to repeat. @throws ConflictError while its node must keep it */
  readonly release: (
    uuid: string,
    allocation: PlacedAllocation,
    context: CallContext,
  ) => Promise<void>;
}

export interface ProvisionOrder {
  readonly target: 'active' | 'deleted' | 'rebuild' | 'rescue' | 'unrescue';
  readonly configdrive?: Readonly<Record<string, unknown>>;
  readonly rescue_password?: string;
}

export interface PowerOrder {
  readonly target: 'power on' | 'power off' | 'rebooting' | 'soft power off' | 'soft rebooting';
  /** Seconds. */
  readonly timeout?: number;
}

/**
 * The verbs of the conductor that running a server needs, each about the node as it was read.
 * They throw ConflictError while another works on the node, TenancyChangedError when it has changed hands, AppError with
 * 4xx for what it does not take, and UnavailableError.
 */
export interface NodeVerbs {
  readonly provision: (
    node: PlacedNode,
    order: ProvisionOrder,
    context: CallContext,
  ) => Promise<void>;
  readonly power: (node: PlacedNode, order: PowerOrder, context: CallContext) => Promise<void>;
  /** @param project whose VIF it has to be */
  readonly attach: (
    node: PlacedNode,
    vif: { readonly id: string; readonly project: string },
    context: CallContext,
  ) => Promise<void>;
  readonly detach: (node: PlacedNode, vif: string, context: CallContext) => Promise<void>;
  readonly injectNmi: (node: PlacedNode, context: CallContext) => Promise<void>;
}
