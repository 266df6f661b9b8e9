import { type AllocationRecord, type CallContext, type PolicyFilter } from '@tenure/contracts';

export interface Candidate {
  readonly uuid: string;
}

/** Which nodes would do. `candidate_nodes` empty: any. */
export interface CandidateQuery {
  readonly resource_class: string | null;
  readonly traits: readonly string[];
  readonly candidate_nodes: readonly string[];
  /** Only the node of this name. */
  readonly name?: string;
  readonly filter: PolicyFilter;
  readonly limit: number;
}

/** Resolves idents (names or uuids) for a caller who sees only `filter`. */
interface Resolution {
  readonly found: readonly { readonly ident: string; readonly uuid: string }[];
  /** Unknown or invisible: the same. */
  readonly missing: readonly string[];
}

/** The nodes that allocations take. */
export interface NodePool {
  /** Available, not reserved, not in maintenance, without instance, with a power state. */
  readonly candidates: (
    query: CandidateQuery,
    context: CallContext,
  ) => Promise<readonly Candidate[]>;
  readonly resolve: (
    idents: readonly string[],
    filter: PolicyFilter,
    context: CallContext,
  ) => Promise<Resolution>;
  /**
   * One compare-and-set over both sides; idempotent, at most one node per allocation.
   * @throws ConflictError `node_taken`
   */
  readonly claim: (
    allocationUuid: string,
    nodeUuid: string,
    context: CallContext,
  ) => Promise<AllocationRecord>;
  /**
   * Claims a node that is in use already, in any provision state. A null resource class is filled in from the node.
   * @throws ConflictError when it is reserved, has an allocation or belongs to another instance; NotFoundError
   */
  readonly backfill: NodePool['claim'];
}
