import { type CallContext } from '@tenure/contracts';

/**
 * The kinds of resources whose tenancy can be loaded. `node_allocation` and `node_lease` load the allocation or the lease of
 * a node, by the ident of the node.
 */
export type TenancyKind =
  | 'node'
  | 'allocation'
  | 'node_allocation'
  | 'lease'
  | 'node_lease'
  | 'port'
  | 'portgroup'
  | 'volume_connector'
  | 'volume_target'
  | 'server';

/** Owner and lessee of a resource at one moment. */
export interface Tenancy {
  readonly uuid: string;
  readonly owner: string | null;
  readonly lessee: string | null;
  readonly tenancy_revision: number;
  /** The node that the resource belongs to, whose owner, lessee and revision these are; null when it belongs to none. */
  readonly node_uuid: string | null;
  /** Id of the user who created a server; absent for other kinds, whose creator does not matter. */
  readonly creator?: string | null;
}

/** Loads tenancies from the system of record. */
export interface TenancySource {
  /**
   * @returns undefined when there is no such resource
   * @throws UnavailableError when the answer is late or malformed
   */
  readonly load: (
    kind: TenancyKind,
    ident: string,
    context: CallContext,
  ) => Promise<Tenancy | undefined>;
}
