import { describe, expect, it } from '@jest/globals';
import { isLongerJson } from './json-length.js';

describe('the length of a JSON text', () => {
  it.each([
    {},
    [],
    null,
    true,
    -1.5e-7,
    '',
    'a"b\\c\n\u0001',
    'é𝒳',
    '\ud800',
    { a: 1 },
    { 'a"': [1, 'two', { b: null }], c: {} },
    [[], {}, [1, 2, 3]],
  ])('equals the length of the JSON of %j', (value) => {
    const { length } = JSON.stringify(value);
    expect(isLongerJson(value, length)).toBe(false);
    expect(isLongerJson(value, length - 1)).toBe(true);
  });

  it('is not computed beyond the limit', () => {
    let read = 0;
    const list = new Proxy(
      Array.from({ length: 100 }, () => 'x'.repeat(10)),
      {
        get: (target, key) => {
          read += /^[0-9]+$/u.test(String(key)) ? 1 : 0;
          return Reflect.get(target, key) as unknown;
        },
      },
    );
    expect(isLongerJson(list, 200)).toBe(true);
    expect(read).toBeLessThan(25);
  });
});
