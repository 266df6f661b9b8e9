import { beforeEach, describe, expect, it } from '@jest/globals';
import { createWorkMeter, type WorkMeter } from './work-meter.js';

let active: number;
let now: number;
let meter: WorkMeter;

beforeEach(() => {
  active = 0;
  now = 0;
  meter = createWorkMeter(
    () => active,
    () => now,
  );
});

/** So many milliseconds pass, in which the process works for some of them. */
const pass = (elapsed: number, worked: number): void => {
  now += elapsed;
  active += worked;
};

describe('the work of a request', () => {
  it('is all the work while it is alone', () => {
    pass(100, 100);
    const request = meter.began();
    pass(20, 5);
    expect(request.spent()).toEqual({ elapsedMs: 20, activeMs: 5 });
  });

  it('is its part of the work while others are under way', () => {
    const first = meter.began();
    pass(10, 10);
    const second = meter.began();
    pass(10, 10);
    expect(first.spent()).toEqual({ elapsedMs: 20, activeMs: 15 });
    second.ended();
    pass(10, 10);
    expect(first.spent()).toEqual({ elapsedMs: 30, activeMs: 25 });
    expect(second.spent().elapsedMs).toBe(20);
  });

  it('is nothing while the process waits', () => {
    const request = meter.began();
    pass(5000, 0);
    expect(request.spent()).toEqual({ elapsedMs: 5000, activeMs: 0 });
  });

  it('is counted out once, however often it ends', () => {
    const first = meter.began();
    const second = meter.began();
    second.ended();
    second.ended();
    pass(10, 10);
    expect(first.spent().activeMs).toBe(10);
  });
});
