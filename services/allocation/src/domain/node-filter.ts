import { type AllocationRecord, type PolicyFilter } from '@tenure/contracts';

export type NodeFilter = AllocationRecord['candidate_filter'];

export const EVERYTHING: PolicyFilter = { mode: 'all', predicates: [] };

/**
 * The nodes that an allocation may take: those the policy decided on, and for an allocation with an owner
 * only those that it owns (spec 000, "Allocation API changes") or leases (spec 001). Only ever narrows.
 */
export const nodesFor = (decided: PolicyFilter, owner: string | null): NodeFilter =>
  decided.mode === 'all' && owner !== null
    ? {
        mode: 'any_of',
        predicates: [
          { field: 'owner', op: 'eq', value: owner },
          { field: 'lessee', op: 'eq', value: owner },
        ],
      }
    : withoutMasks(decided);

/** Value of `X-Tenure-Policy-Filter`: shows an operator whether and how a list was filtered. */
export function filterHeader(filter: PolicyFilter): string {
  if (filter.mode === 'all') return 'all';
  const fields = [...new Set(filter.predicates.map(({ field }) => field))];
  return filter.mode === 'none' || fields.length === 0 ? 'none' : fields.join(',');
}

const withoutMasks = (filter: PolicyFilter): NodeFilter => ({
  mode: filter.mode,
  predicates: filter.predicates.map(({ field, op, value }) => ({ field, op, value })),
});
