import { describe, expect, it } from '@jest/globals';
import { shrunk } from './shrink.js';

const NUMBERS = Array.from({ length: 24 }, (_, n) => n);
const needs =
  (...needed: readonly number[]) =>
  (some: readonly number[]): Promise<boolean> =>
    Promise.resolve(needed.every((one) => some.includes(one)));

describe('what a failure needs', () => {
  it.each([[[5]], [[0, 23]], [[3, 4, 17]]])('is found to be %j', async (needed) => {
    expect(await shrunk(NUMBERS, needs(...needed), 200)).toEqual(needed);
  });

  it('is nothing, when it fails without any', async () => {
    expect(await shrunk(NUMBERS, needs(), 200)).toEqual([]);
  });

  it('is still enough for the failure when the tries are spent', async () => {
    const left = await shrunk(NUMBERS, needs(3, 17), 4);
    expect(left).toEqual(expect.arrayContaining([3, 17]));
    expect(left.length).toBeLessThan(NUMBERS.length);
  });
});
