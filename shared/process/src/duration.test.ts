import { describe, expect, it } from '@jest/globals';
import { secondsOf } from './duration.js';

describe('secondsOf', () => {
  it.each([
    ['90s', 90],
    ['30m', 1800],
    ['1h', 3600],
    ['7d', 604_800],
  ])('reads %s as %i seconds', (text, seconds) => {
    expect(secondsOf(text)).toBe(seconds);
  });

  it.each(['', '1', 'h', '0s', '-1h', '1.5h', '1w', '1h30m'])('refuses %j', (text) => {
    expect(() => secondsOf(text)).toThrow('not a duration');
  });
});
