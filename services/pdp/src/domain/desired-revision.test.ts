import { describe, expect, it } from '@jest/globals';
import { desiredAfter, type DesiredRevision, isNewer } from './desired-revision.js';

const desired = (
  generation: number,
  at = '2026-11-21T06:00:00.000Z',
  by = 'pdp-0',
): DesiredRevision => ({
  ...{ generation, at, by },
  pinned: null,
});

describe('a desired revision', () => {
  it('is newer by its generation, whatever the clocks', () => {
    expect(isNewer(desired(2, '2020-01-01T00:00:00.000Z'), desired(1))).toBe(true);
    expect(isNewer(desired(1), desired(2, '2020-01-01T00:00:00.000Z'))).toBe(false);
    expect(isNewer(desired(0), undefined)).toBe(true);
  });

  it('is never newer than itself, and of two with one generation exactly one is newer', () => {
    expect(isNewer(desired(1), desired(1))).toBe(false);
    const later = desired(1, '2026-11-21T06:00:00.001Z');
    expect([isNewer(later, desired(1)), isNewer(desired(1), later)]).toEqual([true, false]);
    const other = desired(1, undefined, 'pdp-1');
    expect([isNewer(other, desired(1)), isNewer(desired(1), other)]).toEqual([true, false]);
  });

  it('is newer than all that are found', () => {
    const { at, by, pinned } = desired(0);
    expect(desiredAfter([undefined, desired(7), desired(3)], { at, by, pinned })).toEqual(
      desired(8),
    );
    expect(desiredAfter([undefined], { at, by, pinned })).toEqual(desired(1));
  });
});
