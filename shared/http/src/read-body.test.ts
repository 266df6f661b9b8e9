import { describe, expect, it } from '@jest/globals';
import { parseJson } from './read-body.js';

const nested = (levels: number): Buffer => Buffer.from('['.repeat(levels) + ']'.repeat(levels));

describe('parseJson', () => {
  it('takes 64 levels and refuses 65', () => {
    expect(Array.isArray(parseJson(nested(64)))).toBe(true);
    expect(() => parseJson(nested(65))).toThrow('nested deeper than 64');
  });

  it.each([
    ['malformed JSON', Buffer.from('{nope')],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['a __proto__ member', Buffer.from('{"a":{"__proto__":{"admin":true}}}')],
    ['a __proto__ member in disguise', Buffer.from('{"a":{"\\u005f_proto__":{"admin":true}}}')],
    ['a __proto__ member in a list', Buffer.from('[[{"__proto__":1}]]')],
    ['a text that does not end', Buffer.from('{"a":"b')],
    ['two documents', Buffer.from('{}{}')],
  ])('answers 400 to %s', (_what, body) => {
    expect(() => parseJson(body)).toThrow('not valid JSON');
  });

  it('accepts __proto__ as a value, and other names with escapes', () => {
    expect(parseJson(Buffer.from('{"\\u0061":"__proto__"}'))).toEqual({ a: '__proto__' });
  });
});
