import { beforeEach, describe, expect, it } from '@jest/globals';
import { type AdaptiveLimit, createAdaptiveLimit } from './adaptive-limit.js';

let now: number;
let limit: AdaptiveLimit;

beforeEach(() => {
  now = 0;
  limit = createAdaptiveLimit({ min: 10, max: 400, targetMs: 10, now: () => now });
});

/** Runs `count` intervals in which requests wait for the given time. */
function intervals(count: number, waits: readonly number[], isFull = true): void {
  for (let interval = 0; interval < count; interval += 1) {
    now += 100;
    for (const [index, wait] of waits.entries()) {
      if (index > 0) now += 0;
      limit.note(wait, isFull);
    }
  }
}

describe('the limit of work in flight', () => {
  it('starts at a quarter of its maximum', () => {
    expect(limit.current()).toBe(100);
  });

  it('falls to its minimum while every request waits longer than the target', () => {
    intervals(1, [11]);
    expect(limit.current()).toBe(85);
    intervals(30, [500]);
    expect(limit.current()).toBe(10);
  });

  it('rises to its maximum while it is reached and requests do not wait', () => {
    intervals(1, [3]);
    expect(limit.current()).toBeCloseTo(110);
    intervals(30, [3]);
    expect(limit.current()).toBe(400);
  });

  it('does not rise while no request queues because of it', () => {
    intervals(30, [0], false);
    expect(limit.current()).toBe(100);
  });

  it('stays unchanged during a burst, in which only some requests wait', () => {
    for (let interval = 0; interval < 10; interval += 1) {
      for (const wait of [200, 2, 300]) limit.note(wait, false);
      now += 100;
    }
    expect(limit.current()).toBe(100);
  });
});
