import { beforeEach, describe, expect, it } from '@jest/globals';
import { type AdaptiveLimit, createAdaptiveLimit } from './adaptive-limit.js';

let now: number;
let limit: AdaptiveLimit;

beforeEach(() => {
  now = 0;
  limit = createAdaptiveLimit({ min: 10, max: 400, targetMs: 10, now: () => now });
});

/** So many intervals in each of which requests wait for so long. */
const intervals = (count: number, waits: readonly number[], isFull = true): void => {
  for (let interval = 0; interval < count; interval += 1) {
    now += 100;
    for (const [index, wait] of waits.entries()) {
      if (index > 0) now += 0;
      limit.note(wait, isFull);
    }
  }
};

describe('the limit of what is under way', () => {
  it('begins at a quarter of what it may be', () => {
    expect(limit.current()).toBe(100);
  });

  it('falls while every request waits longer than the target, to no less than the least', () => {
    intervals(1, [11]);
    expect(limit.current()).toBe(85);
    intervals(30, [500]);
    expect(limit.current()).toBe(10);
  });

  it('rises while it is reached and requests do not wait, to no more than the most', () => {
    intervals(1, [3]);
    expect(limit.current()).toBeCloseTo(110);
    intervals(30, [3]);
    expect(limit.current()).toBe(400);
  });

  it('does not rise while nobody is held back by it', () => {
    intervals(30, [0], false);
    expect(limit.current()).toBe(100);
  });

  it('takes a burst for what it is: some wait, others do not', () => {
    for (let interval = 0; interval < 10; interval += 1) {
      for (const wait of [200, 2, 300]) limit.note(wait, false);
      now += 100;
    }
    expect(limit.current()).toBe(100);
  });
});
