import { beforeEach, describe, expect, it } from '@jest/globals';
import { createRefusalPace, type RefusalPace } from './refusal-pace.js';

let time: number;
let pace: RefusalPace;

beforeEach(() => {
  time = 1000;
  pace = createRefusalPace({ burst: 3, perSecond: 100, maxDelayMs: 50, now: () => time });
});

const delays = (tenant: string, count: number): readonly number[] =>
  Array.from({ length: count }, () => pace.delayOf(tenant));

describe('the refusals of a tenant', () => {
  it('are sent at once while they are few', () => {
    expect(delays('a', 3)).toEqual([0, 0, 0]);
  });

  it('come at a steady rate when they are many', () => {
    expect(delays('a', 6)).toEqual([0, 0, 0, 10, 20, 30]);
  });

  it('are never delayed for longer than the longest delay', () => {
    expect(delays('a', 12).at(-1)).toBe(50);
  });

  it('are sent at once again after a pause', () => {
    delays('a', 12);
    time += 100;
    expect(delays('a', 3)).toEqual([0, 0, 0]);
  });

  it('do not delay those of another', () => {
    delays('a', 12);
    expect(delays('b', 3)).toEqual([0, 0, 0]);
  });
});
