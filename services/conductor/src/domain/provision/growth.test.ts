import { describe, expect, it } from '@jest/globals';
import { growthOfReads, listOf, N_LOG_N } from '@tenure/contracts/testing';
import { type PlannedStep, replanned } from './steps.js';

const stepAt = (at: number): PlannedStep => ({
  interface: 'deploy',
  step: `s${String(at)}`,
  args: {},
  priority: at % 10,
  abortable: false,
});

describe('a plan that is computed again', () => {
  it('reads each step a constant number of times', () => {
    const growth = growthOfReads((counted, size) =>
      replanned(counted(listOf(size, (at) => stepAt(at * 2))), counted(listOf(size * 2, stepAt))),
    );
    expect(growth).toBeLessThanOrEqual(N_LOG_N);
  });

  it('contains completed steps first, each as often as it ran', () => {
    const [a, b] = [stepAt(1), stepAt(2)];
    expect(replanned([a], [b, a, a])).toEqual([a, b, a]);
    expect(replanned([a], [{ ...a, priority: 5 }])).toEqual([a, { ...a, priority: 5 }]);
  });
});
