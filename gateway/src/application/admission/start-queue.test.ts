import { beforeEach, describe, expect, it } from '@jest/globals';
import { createStartQueue, type StartQueue } from './start-queue.js';

let queue: StartQueue;
let scheduled: (() => void)[];
let begun: string[];

const PER_ITERATION = 2;

beforeEach(() => {
  scheduled = [];
  begun = [];
  queue = createStartQueue({ perIteration: PER_ITERATION, later: (work) => scheduled.push(work) });
});

function enter(tenant: string, name: string): void {
  queue.enter(tenant, () => begun.push(name));
}
/** Runs the next iteration of the event loop. */
function iterate(): void {
  for (const work of scheduled.splice(0)) work();
}

describe('the start of requests', () => {
  it('is immediate while few requests arrive in the same iteration', () => {
    enter('a', 'a1');
    enter('b', 'b1');
    expect(begun).toEqual(['a1', 'b1']);
    iterate();
    enter('a', 'a2');
    expect(begun).toEqual(['a1', 'b1', 'a2']);
  });

  it('happens for a few requests in each iteration, and for all of them in the end', () => {
    for (let n = 1; n <= 7; n += 1) enter('a', `a${n}`);
    expect(begun).toEqual(['a1', 'a2']);
    iterate();
    expect(begun).toEqual(['a1', 'a2', 'a3', 'a4']);
    iterate();
    iterate();
    expect(begun).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7']);
  });

  it('is round-robin by tenant: one request does not wait for the many of another', () => {
    for (let n = 1; n <= 6; n += 1) enter('noisy', `noisy${n}`);
    enter('quiet', 'quiet1');
    iterate();
    expect(begun).toEqual(['noisy1', 'noisy2', 'noisy3', 'quiet1']);
  });

  it('does not let a new request overtake all queued ones', () => {
    for (let n = 1; n <= 4; n += 1) enter('noisy', `noisy${n}`);
    iterate();
    expect(begun).toEqual(['noisy1', 'noisy2', 'noisy3', 'noisy4']);
    for (let n = 5; n <= 6; n += 1) enter('noisy', `noisy${n}`);
    iterate();
    expect(begun).toEqual(['noisy1', 'noisy2', 'noisy3', 'noisy4', 'noisy5', 'noisy6']);
  });

  it('is immediate again once the queues are empty', () => {
    enter('a', 'a1');
    iterate();
    expect(scheduled).toEqual([]);
  });
});
