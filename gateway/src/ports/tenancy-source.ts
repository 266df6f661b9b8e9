import { type CallContext } from '@tenure/contracts';

/** Whose tenancy can be loaded. `held_allocation`, `held_lease`: the allocation, the lease that holds the node of that ident. */
export type TenancyKind =
  | 'node'
  | 'allocation'
  | 'held_allocation'
  | 'lease'
  | 'held_lease'
  | 'port'
  | 'portgroup'
  | 'volume_connector'
  | 'volume_target'
  | 'server';

/** Whose a resource is, at one moment. */
export interface Tenancy {
  readonly uuid: string;
  readonly owner: string | null;
  readonly lessee: string | null;
  readonly tenancy_revision: number;
  /** The node that the thing hangs on, whose owner, lessee and revision these are; null when it hangs on none. */
  readonly node_uuid: string | null;
  /** Id of the user who made a server; absent of everything else, where it makes no difference. */
  readonly creator?: string | null;
}

/** What the gateway needs of the system of record. */
export interface TenancySource {
  /**
   * @returns undefined when there is no such resource
   * @throws UnavailableError when the answer does not come in time, or is not one
   */
  readonly load: (
    kind: TenancyKind,
    ident: string,
    context: CallContext,
  ) => Promise<Tenancy | undefined>;
}
