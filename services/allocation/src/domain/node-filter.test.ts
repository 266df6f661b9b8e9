import { describe, expect, it } from '@jest/globals';
import { type PolicyFilter } from '@tenure/contracts';
import { filterHeader, nodesFor } from './node-filter.js';

const OWNER = { field: 'owner', op: 'eq', value: 'p-1' } as const;
const LESSEE = { field: 'lessee', op: 'eq', value: 'p-1' } as const;

describe('the nodes an allocation may take', () => {
  it('are all for an unrestricted allocation without an owner', () => {
    expect(nodesFor({ mode: 'all', predicates: [] }, null)).toEqual({
      mode: 'all',
      predicates: [],
    });
  });

  it('are those its owner owns or leases for an unrestricted allocation with an owner', () => {
    expect(nodesFor({ mode: 'all', predicates: [] }, 'p-1')).toEqual({
      mode: 'any_of',
      predicates: [OWNER, LESSEE],
    });
  });

  it('are never more than the policy decided', () => {
    expect(nodesFor({ mode: 'none', predicates: [] }, 'p-1')).toEqual({
      mode: 'none',
      predicates: [],
    });
    expect(nodesFor({ mode: 'any_of', predicates: [OWNER] }, 'p-2')).toEqual({
      mode: 'any_of',
      predicates: [OWNER],
    });
    expect(nodesFor({ mode: 'any_of', predicates: [] }, null)).toEqual({
      mode: 'any_of',
      predicates: [],
    });
  });

  it('are written without masks, which concern lists only', () => {
    expect(
      nodesFor({ mode: 'any_of', predicates: [{ ...OWNER, masked: ['extra'] }] }, 'p-1').predicates,
    ).toEqual([OWNER]);
  });
});

describe('the header that says how a list was filtered', () => {
  it.each<readonly [PolicyFilter, string]>([
    [{ mode: 'all', predicates: [] }, 'all'],
    [{ mode: 'any_of', predicates: [OWNER, LESSEE, OWNER] }, 'owner,lessee'],
    [{ mode: 'any_of', predicates: [] }, 'none'],
    [{ mode: 'none', predicates: [OWNER] }, 'none'],
  ])('%j is %s', (filter, header) => {
    expect(filterHeader(filter)).toBe(header);
  });
});
