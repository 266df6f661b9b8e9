import { beforeEach, describe, expect, it } from '@jest/globals';
import { createDoor, type Door } from './door.js';

let door: Door;
let turns: (() => void)[];
let begun: string[];

const PER_TURN = 2;

beforeEach(() => {
  turns = [];
  begun = [];
  door = createDoor({ perTurn: PER_TURN, later: (work) => turns.push(work) });
});

function enter(tenant: string, name: string): void {
  door.enter(tenant, () => begun.push(name));
}
/** Runs the next iteration of the event loop. */
function turn(): void {
  for (const work of turns.splice(0)) work();
}

describe('the start of requests', () => {
  it('is immediate while few requests arrive in the same iteration', () => {
    enter('a', 'a1');
    enter('b', 'b1');
    expect(begun).toEqual(['a1', 'b1']);
    turn();
    enter('a', 'a2');
    expect(begun).toEqual(['a1', 'b1', 'a2']);
  });

  it('happens for a few requests in each iteration, and for all of them in the end', () => {
    for (let n = 1; n <= 7; n += 1) enter('a', `a${n}`);
    expect(begun).toEqual(['a1', 'a2']);
    turn();
    expect(begun).toEqual(['a1', 'a2', 'a3', 'a4']);
    turn();
    turn();
    expect(begun).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7']);
  });

  it('is round-robin by tenant: one request does not wait for the many of another', () => {
    for (let n = 1; n <= 6; n += 1) enter('noisy', `noisy${n}`);
    enter('quiet', 'quiet1');
    turn();
    expect(begun).toEqual(['noisy1', 'noisy2', 'noisy3', 'quiet1']);
  });

  it('does not let a new request overtake all queued ones', () => {
    for (let n = 1; n <= 4; n += 1) enter('noisy', `noisy${n}`);
    turn();
    expect(begun).toEqual(['noisy1', 'noisy2', 'noisy3', 'noisy4']);
    for (let n = 5; n <= 6; n += 1) enter('noisy', `noisy${n}`);
    turn();
    expect(begun).toEqual(['noisy1', 'noisy2', 'noisy3', 'noisy4', 'noisy5', 'noisy6']);
  });

  it('is immediate again once the queues are empty', () => {
    enter('a', 'a1');
    turn();
    expect(turns).toEqual([]);
  });
});
