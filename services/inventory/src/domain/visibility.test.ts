import { describe, expect, it } from '@jest/globals';
import { type Obligations } from '@tenure/contracts';
import {
  assertComparable,
  filterHeaderOf,
  isLinkable,
  isVisible,
  maskedInRow,
  NODE_FILTER_FIELDS,
  restrictionOf,
} from './visibility.js';

const OWNER = { field: 'owner', op: 'eq', value: 'p-a', masked: ['driver_info'] } as const;
const LESSEE = {
  field: 'lessee',
  op: 'eq',
  value: 'p-a',
  masked: ['driver_info', 'last_error'],
} as const;

const obligations = (masked: readonly string[] = []): Obligations => ({
  filter: {
    mode: 'any_of',
    predicates: [
      { ...OWNER, masked: [...OWNER.masked] },
      { ...LESSEE, masked: [...LESSEE.masked] },
    ],
  },
  fields: { masked: [...masked], read_only: [] },
  set: {},
});

describe('what is masked in a row', () => {
  it.each([
    [{ owner: 'p-a', lessee: null }, ['driver_info']],
    [{ owner: 'p-b', lessee: 'p-a' }, ['driver_info', 'last_error']],
    [{ owner: 'p-a', lessee: 'p-a' }, ['driver_info']],
    [{ owner: null, lessee: null }, []],
  ])('%j: %j, and what is masked everywhere', (row, expected) => {
    expect([...maskedInRow(row, obligations())]).toEqual(expected);
    expect([...maskedInRow(row, obligations(['conductor']))]).toEqual(['conductor', ...expected]);
  });
});

describe('a field that is masked in some row', () => {
  it.each(['driver_info', 'last_error', 'conductor'])('%s may not be compared', (name) => {
    expect(() => {
      assertComparable(['name', name], obligations(['conductor']));
    }).toThrow(`baremetal:node:get:${name}`);
  });

  it('is the only kind that may not', () => {
    expect(() => {
      assertComparable(['name', 'owner'], obligations(['conductor']));
    }).not.toThrow();
  });
});

describe('a filter', () => {
  it('of nothing shows nothing, and null never matches', () => {
    expect(restrictionOf({ mode: 'none', predicates: [] }, NODE_FILTER_FIELDS)).toEqual([]);
    expect(isVisible({ owner: null, lessee: null }, obligations().filter, NODE_FILTER_FIELDS)).toBe(
      false,
    );
    expect(
      isVisible({ owner: 'p-a' }, { mode: 'any_of', predicates: [] }, NODE_FILTER_FIELDS),
    ).toBe(false);
  });

  it('on an unknown field is an error, also for one row', () => {
    const filter = {
      mode: 'any_of' as const,
      predicates: [{ field: 'name', op: 'eq' as const, value: 'x' }],
    };
    expect(() => restrictionOf(filter, NODE_FILTER_FIELDS)).toThrow('name');
    expect(() => isVisible({ name: 'x' }, filter, NODE_FILTER_FIELDS)).toThrow('name');
  });

  it('is reported in a header', () => {
    expect(filterHeaderOf({ mode: 'all', predicates: [] })).toBe('all');
    expect(filterHeaderOf(obligations().filter)).toBe('owner,lessee');
    expect(filterHeaderOf({ mode: 'none', predicates: [] })).toBe('none');
  });
});

describe('what may be linked', () => {
  const project = { field: 'project_id', op: 'eq', value: 'p-a' } as const;
  const linkable = {
    mode: 'any_of' as const,
    predicates: [OWNER, LESSEE, project].map((one) => ({
      field: one.field,
      op: one.op,
      value: one.value,
    })),
  };

  it.each([
    [{ owner: 'p-a', lessee: null }, true],
    [{ owner: 'p-b', lessee: 'p-a' }, true],
    [{ owner: 'p-b', lessee: null }, false],
    [{ owner: 'p-b', lessee: null, project_id: 'p-a' }, false],
    [{ owner: null, lessee: null }, false],
  ])('%j: %s', (node, expected) => {
    expect(isLinkable(node, linkable)).toBe(expected);
  });

  it('is everything, or nothing, when the filter says so', () => {
    expect(isLinkable({}, { mode: 'all', predicates: [] })).toBe(true);
    expect(isLinkable({}, { mode: 'none', predicates: [] })).toBe(false);
  });

  it('is not decided by a field that says nothing of nodes', () => {
    const predicates = [{ field: 'name', op: 'eq' as const, value: 'n1' }];
    expect(() => isLinkable({ name: 'n1' }, { mode: 'any_of', predicates })).toThrow();
  });
});
