/** States of an allocation: it ends `active` on one node, or in `error` with `last_error`. */
export type AllocationState = 'allocating' | 'active' | 'error';

/** An allocation as stored and as the allocation service reads it. */
export interface AllocationRecord {
  readonly uuid: string;
  readonly name: string | null;
  readonly owner: string | null;
  readonly resource_class: string | null;
  readonly traits: readonly string[];
  /** Uuids, resolved from what the caller sent. */
  readonly candidate_nodes: readonly string[];
  readonly extra: Readonly<Record<string, unknown>>;
  readonly state: AllocationState;
  readonly node_uuid: string | null;
  readonly last_error: string | null;
  readonly created_at: string;
  readonly updated_at: string | null;
  /** Which nodes may be taken, as the policy decided when it was created. */
  readonly candidate_filter: {
    readonly mode: 'all' | 'any_of' | 'none';
    readonly predicates: readonly {
      readonly field: string;
      readonly op: 'eq';
      readonly value: string;
    }[];
  };
  /** Grows with every write. */
  readonly revision: number;
}
