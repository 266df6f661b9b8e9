import { describe, expect, it } from '@jest/globals';
import { canonicalJson } from './canonical-json.js';

describe('canonical JSON', () => {
  it('has its members in one order, however they were written', () => {
    const text = '{"a":[1,{"x":null,"y":true}],"b":"c"}';
    expect(canonicalJson({ b: 'c', a: [1, { y: true, x: null }] })).toBe(text);
  });

  it('writes numbers as RFC 8785 does', () => {
    expect(canonicalJson([1e21, 0.1, -0, 100, 1e-7])).toBe('[1e+21,0.1,0,100,1e-7]');
  });

  it('omits what no store keeps: undefined members and half characters', () => {
    expect(canonicalJson({ a: undefined, b: '\uD800!' })).toBe('{"b":"\uFFFD!"}');
    expect(canonicalJson([undefined])).toBe('[null]');
  });
});
