import { describe, expect, it } from '@jest/globals';
import { isNewer, type PolicyWish, wishAfter } from './policy-wish.js';

const wish = (generation: number, at = '2026-11-21T06:00:00.000Z', by = 'pdp-0'): PolicyWish => ({
  ...{ generation, at, by },
  pinned: null,
});

describe('a wish', () => {
  it('is newer by its generation, whatever the clocks said', () => {
    expect(isNewer(wish(2, '2020-01-01T00:00:00.000Z'), wish(1))).toBe(true);
    expect(isNewer(wish(1), wish(2, '2020-01-01T00:00:00.000Z'))).toBe(false);
    expect(isNewer(wish(0), undefined)).toBe(true);
  });

  it('is never newer than itself, and of two at a time one is', () => {
    expect(isNewer(wish(1), wish(1))).toBe(false);
    const later = wish(1, '2026-11-21T06:00:00.001Z');
    expect([isNewer(later, wish(1)), isNewer(wish(1), later)]).toEqual([true, false]);
    const other = wish(1, undefined, 'pdp-1');
    expect([isNewer(other, wish(1)), isNewer(wish(1), other)]).toEqual([true, false]);
  });

  it('comes after all that are known', () => {
    const { at, by, pinned } = wish(0);
    expect(wishAfter([undefined, wish(7), wish(3)], { at, by, pinned })).toEqual(wish(8));
    expect(wishAfter([undefined], { at, by, pinned })).toEqual(wish(1));
  });
});
