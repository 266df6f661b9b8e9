import { describe, expect, it } from '@jest/globals';
import { withoutTrailing } from './text-end.js';

describe('a text without its trailing characters', () => {
  it.each([
    ['http://a.example/', 'http://a.example'],
    ['http://a.example///', 'http://a.example'],
    ['http://a.example/b', 'http://a.example/b'],
    ['//', ''],
    ['', ''],
  ])('%j is %j', (text, expected) => {
    expect(withoutTrailing(text, '/')).toBe(expected);
  });
});
