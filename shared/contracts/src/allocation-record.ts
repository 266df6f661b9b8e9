import { type AllocationFields } from './resource-fields/allocation-fields.js';

/** An allocation as stored and as the allocation service reads it. */
export type AllocationRecord = AllocationFields &
  Readonly<{
    /** Which nodes may be taken, as the policy decided when it was created. */
    candidate_filter: {
      readonly mode: 'all' | 'any_of' | 'none';
      readonly predicates: readonly {
        readonly field: string;
        readonly op: 'eq';
        readonly value: string;
      }[];
    };
    /** Grows with every write. */
    revision: number;
  }>;
