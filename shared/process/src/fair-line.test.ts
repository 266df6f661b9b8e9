import { describe, expect, it } from '@jest/globals';
import { createFairLine, type FairLine } from './fair-line.js';

const all = (line: FairLine<string>): readonly (string | undefined)[] =>
  Array.from({ length: line.length() }, line.take);

describe('a queue that serves tenants round-robin', () => {
  it('serves a quiet project after one request of a noisy one', () => {
    const line = createFairLine<string>(10);
    for (const one of ['n1', 'n2', 'n3']) line.add('noisy', one);
    line.add('quiet', 'q1');
    expect(all(line)).toEqual(['n1', 'q1', 'n2', 'n3']);
    expect(line.take()).toBeUndefined();
  });

  it('drops the last request of the project with the most requests when it is full', () => {
    const line = createFairLine<string>(3);
    for (const one of ['n1', 'n2', 'n3']) expect(line.add('noisy', one)).toBeUndefined();
    expect(line.add('quiet', 'q1')).toBe('n3');
    expect(line.add('noisy', 'n4')).toBe('n4');
    expect(line.length()).toBe(3);
    expect(all(line)).toEqual(['n1', 'q1', 'n2']);
  });

  it('removes cancelled requests', () => {
    const line = createFairLine<string>(3);
    line.add('a', 'a1');
    line.add('a', 'a2');
    line.remove('a', 'a1');
    line.remove('a', 'never there');
    line.remove('b', 'a2');
    expect(all(line)).toEqual(['a2']);
  });
});
