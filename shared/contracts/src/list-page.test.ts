import { describe, expect, it } from '@jest/globals';
import { limitIn, orderIn } from './list-page.js';

const sinceOf = (field: string): number | undefined => ({ name: 1, owner: 60 })[field];

describe('the limit of a page', () => {
  it.each([
    [undefined, 1000],
    ['1', 1],
    ['1000', 1000],
    ['1001', 1000],
    ['123456789012345678', 1000],
  ])('%s gives %i rows', (text, rows) => {
    expect(limitIn(text)).toBe(rows);
  });

  it.each(['0', '-1', '1.5', 'ten', '', '1234567890123456789'])('cannot be "%s"', (text) => {
    expect(() => limitIn(text)).toThrow('Limit must be positive');
  });
});

describe('the order of a list', () => {
  it('is that of creation, ascending, unless something else is given', () => {
    expect(orderIn({}, sinceOf, 60)).toEqual({ field: null, descending: false });
    expect(orderIn({ sort_key: 'id', sort_dir: 'desc' }, sinceOf, 60)).toEqual({
      field: null,
      descending: true,
    });
  });

  it('is that of a sortable field', () => {
    expect(orderIn({ sort_key: 'owner', sort_dir: 'asc' }, sinceOf, 60)).toEqual({
      field: 'owner',
      descending: false,
    });
  });

  it('is refused by another field, a newer one, and another direction', () => {
    expect(() => orderIn({ sort_key: 'extra' }, sinceOf, 60)).toThrow(
      'The sort_key value "extra" is an invalid field for sorting',
    );
    expect(() => orderIn({ sort_key: 'owner' }, sinceOf, 59)).toThrow(
      expect.objectContaining({ status: 406 }),
    );
    expect(() => orderIn({ sort_dir: 'up' }, sinceOf, 60)).toThrow(
      "Invalid sort direction: up. Acceptable values are 'asc' or 'desc'",
    );
  });
});
