import { describe, expect, it } from '@jest/globals';
import { fewAtATime } from './few-at-a-time.js';

describe('few at a time', () => {
  it('runs some, lets some wait for their turn, and refuses the others', async () => {
    const inTurn = fewAtATime(1, 1);
    const begun: string[] = [];
    const first = Promise.withResolvers<string>();
    const task = (name: string, result: Promise<string>) => (): Promise<string> => {
      begun.push(name);
      return result;
    };
    const one = inTurn(task('one', first.promise));
    const two = inTurn(task('two', Promise.resolve('two')));
    await expect(inTurn(task('three', Promise.resolve('three')))).rejects.toThrow('Too many ask');
    expect(begun).toEqual(['one']);
    first.reject(new Error('failed'));
    await expect(one).rejects.toThrow('failed');
    await expect(two).resolves.toBe('two');
    await expect(inTurn(task('four', Promise.resolve('four')))).resolves.toBe('four');
    expect(begun).toEqual(['one', 'two', 'four']);
  });
});
