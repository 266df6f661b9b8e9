import { describe, expect, it } from '@jest/globals';
import { hasDuplicateMembers, jsonDepth } from './json-members.js';

const LONG = 'x'.repeat(40);

describe('the nesting of a text', () => {
  it.each([
    ['1', 0],
    ['{"a":"[[[[\\"[["}', 1],
    [`{"a":"${LONG}\\"[[[","b":[[]]}`, 3],
    [`["${LONG}\\\\",[]]`, 2],
    [`["${'x'.repeat(14)}\\\\",[[]]]`, 3],
    [`["${'x'.repeat(15)}\\"[[",[]]`, 2],
    [`["${LONG}[[[`, 1],
    ['["[[[', 1],
  ])('of %s is %i', (text, depth) => {
    expect(jsonDepth(text)).toBe(depth);
  });
});

describe('a duplicate member', () => {
  it.each([
    '{"a":1,"a":2}',
    '{"a":1,"b":1,"c":1,"b":2}',
    '{"a":1,"\\u0061":2}',
    '[{"b":{"a":{}, "a" : 2}}]',
    `{"${LONG}":1,"b":2,"${LONG}":3}`,
    `{"${LONG}\\"":1,"b":2,"${LONG}\\"":3}`,
  ])('is found in %s', (text) => {
    expect(hasDuplicateMembers(text)).toBe(true);
  });

  it.each([
    '{"a":1,"b":2}',
    '{"a":"a","b":["a","a"]}',
    '[{"a":1},{"a":1}]',
    '{"a":{"a":{"a":1}},"b":{"a":1}}',
    `{"a":"${LONG}\\",","b":"\\"a\\":"}`,
    `{"${LONG}":1,"${LONG}x":2}`,
  ])('is not reported in %s', (text) => {
    expect(hasDuplicateMembers(text)).toBe(false);
  });
});
