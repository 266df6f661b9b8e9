import { beforeEach, describe, expect, it } from '@jest/globals';
import { createLoopGuard, type LoopGuard } from './loop-guard.js';

const asks = (user: string, action = 'baremetal:node:get') => ({
  action,
  subject: { user_id: user, project_id: 'p', roles: ['reader'] },
  resource: { type: 'node', owner: 'p' },
});

let time = 0;
let guard: LoopGuard;
beforeEach(() => {
  time = 0;
  guard = createLoopGuard(() => time);
});

const offend = (user: string, times: number): void => {
  for (let round = 0; round < times; round += 1) guard.ranOut(asks(user));
};

describe('the guard against loops', () => {
  it('refuses a caller who made the policy loop three times, and only for that action', () => {
    offend('a', 2);
    expect(guard.refuses(asks('a'))).toBe(false);
    offend('a', 1);
    expect(guard.refuses(asks('a'))).toBe(true);
    expect(guard.refuses({ ...asks('a'), resource: { type: 'node' } })).toBe(true);
    expect(guard.refuses(asks('a', 'baremetal:node:update'))).toBe(false);
    expect(guard.refuses(asks('b'))).toBe(false);
  });

  it('forgives after ten seconds', () => {
    offend('a', 3);
    time = 9_999;
    expect(guard.refuses(asks('a'))).toBe(true);
    time = 10_000;
    expect(guard.refuses(asks('a'))).toBe(false);
    offend('a', 1);
    expect(guard.refuses(asks('a'))).toBe(false);
  });

  it('remembers the last thousand callers', () => {
    offend('first', 3);
    for (let each = 0; each < 1000; each += 1) offend(`user-${each}`, 3);
    expect(guard.refuses(asks('first'))).toBe(false);
    expect(guard.refuses(asks('user-999'))).toBe(true);
  });

  it.each([undefined, null, 'text', [], {}])('takes the question %j', (input) => {
    expect(guard.refuses(input)).toBe(false);
    for (let round = 0; round < 3; round += 1) guard.ranOut(input);
    expect(guard.refuses(input)).toBe(true);
  });
});
