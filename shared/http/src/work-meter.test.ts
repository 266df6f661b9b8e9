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

/** Time passes, and the process is active for part of it. */
function pass(elapsed: number, worked: number): void {
  now += elapsed;
  active += worked;
}

describe('the work of a request', () => {
  it('is all the active time while it is the only one', () => {
    pass(100, 100);
    const request = meter.began();
    pass(20, 5);
    expect(request.spent()).toEqual({ elapsedMs: 20, activeMs: 5 });
  });

  it('is its part of the active time while others are in flight', () => {
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

  it('is 0 while the process waits', () => {
    const request = meter.began();
    pass(5000, 0);
    expect(request.spent()).toEqual({ elapsedMs: 5000, activeMs: 0 });
  });

  it('ends once, however often it is ended', () => {
    const first = meter.began();
    const second = meter.began();
    second.ended();
    second.ended();
    pass(10, 10);
    expect(first.spent().activeMs).toBe(10);
  });
});
