import { type AllocationRecord } from '@tenure/contracts';

/** Why no node could be taken. */
export type Failure =
  | { readonly kind: 'no_node' }
  | { readonly kind: 'no_traits' }
  | { readonly kind: 'all_taken'; readonly tried: number }
  | { readonly kind: 'timed_out' }
  | { readonly kind: 'internal' };

type Wanted = Pick<AllocationRecord, 'uuid' | 'resource_class' | 'traits' | 'candidate_nodes'>;

/** `last_error` of an allocation that ended in `error`. Names nothing that its owner did not ask for. */
export const failureSentence = (failure: Failure, wanted: Wanted): string =>
  `Failed to process allocation ${wanted.uuid}: ${cause(failure, wanted)}.`;

function cause(failure: Failure, wanted: Wanted): string {
  switch (failure.kind) {
    case 'no_node':
      return noNode(wanted);
    case 'no_traits':
      return `no suitable nodes have the requested traits ${wanted.traits.join(', ')}`;
    case 'all_taken':
      return `could not reserve any of ${String(failure.tried)} suitable nodes`;
    case 'timed_out':
      return 'it could not be processed in time';
    case 'internal':
      return 'an unexpected error happened';
  }
}

function noNode({ resource_class, candidate_nodes }: Wanted): string {
  if (resource_class === null) return 'the requested node is not available';
  return candidate_nodes.length > 0
    ? `none of the requested nodes are available and match the resource class ${resource_class}`
    : `no available nodes match the resource class ${resource_class}`;
}
