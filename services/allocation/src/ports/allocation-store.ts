import { type AllocationRecord, type CallContext } from '@tenure/contracts';

/** A new allocation; the store adds state, times and revision. */
export type AllocationDraft = Pick<
  AllocationRecord,
  | 'uuid'
  | 'name'
  | 'owner'
  | 'resource_class'
  | 'traits'
  | 'candidate_nodes'
  | 'extra'
  | 'candidate_filter'
>;

/** One page of a list: every condition must hold. */
export interface AllocationQuery {
  readonly node_uuid?: string;
  readonly resource_class?: string;
  readonly state?: AllocationRecord['state'];
  readonly owner?: string;
  /** Rows, from 1 to 1000. */
  readonly limit: number;
  /** Requested fields beside the uuid; absent: all fields. */
  readonly fields?: readonly string[];
  /** Uuid of the last row of the page before. */
  readonly marker?: string;
  /** Left out: the order of creation, which also breaks ties. */
  readonly sort_key?: string;
  readonly sort_dir: 'asc' | 'desc';
}

/** A row of a list with the requested fields. */
export type AllocationRow = Pick<AllocationRecord, 'uuid'> & Partial<AllocationRecord>;

export interface AllocationPage {
  readonly allocations: readonly AllocationRow[];
  /** Whether further rows follow: a page may be shorter than its limit. */
  readonly more: boolean;
}

type AllocationChange = Partial<Pick<AllocationRecord, 'name' | 'extra' | 'state' | 'last_error'>>;

/** Allocations, in the system of record. */
export interface AllocationStore {
  /** @throws ConflictError `duplicate` when the name or the uuid is in use */
  readonly create: (draft: AllocationDraft, context: CallContext) => Promise<AllocationRecord>;
  /** @throws NotFoundError also for what the filter hides */
  readonly find: (uuid: string, context: CallContext) => Promise<AllocationRecord>;
  /** Rows under the filter of `on`. @throws NotFoundError when the marker is missing or hidden */
  readonly list: (query: AllocationQuery, context: CallContext) => Promise<AllocationPage>;
  /** @throws ConflictError `revision_conflict` when the record is not at `expectedRevision` */
  readonly update: (
    uuid: string,
    change: { readonly expectedRevision: number; readonly set: AllocationChange },
    context: CallContext,
  ) => Promise<AllocationRecord>;
  /** Removes it and releases the node it holds. @throws ConflictError when the node must keep it */
  readonly remove: (uuid: string, context: CallContext) => Promise<void>;
}
