import { describe, expect, it } from '@jest/globals';
import { createFailureTime } from './failure-time.js';

describe('the failure time of an allocation', () => {
  const after = (...moments: readonly number[]): readonly boolean[] => {
    const clock = { ms: 0 };
    const failureTime = createFailureTime(100_000, () => clock.ms);
    return moments.map((ms) => {
      clock.ms = ms;
      return failureTime.recordFailure('one');
    });
  };

  it('times out once failures have lasted for the limit', () => {
    expect(after(5000, 55_000, 104_000, 105_000)).toEqual([false, false, false, true]);
  });

  it('does not count an hour in which the process was frozen', () => {
    expect(after(5000, 3_605_000, 3_640_000, 3_646_000)).toEqual([false, false, false, true]);
  });

  it('begins anew for an allocation that had ended', () => {
    const clock = { ms: 0 };
    const failureTime = createFailureTime(50_000, () => clock.ms);
    failureTime.recordFailure('one');
    failureTime.forget('one');
    clock.ms = 50_000;
    expect(failureTime.recordFailure('one')).toBe(false);
  });
});
