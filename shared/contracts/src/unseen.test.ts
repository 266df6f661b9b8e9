import { describe, expect, it } from '@jest/globals';
import { seenJson } from './unseen.js';

const ACTING =
  '\u0000\u0008\n\r\u001b[2J\u007f\u009b31m\u200b\u202e\u2066\u2028\ufeff\u{e0001}\ud800';

describe('JSON for a terminal', () => {
  it('has no terminal control character', () => {
    expect(seenJson(JSON.stringify({ owner: ACTING }))).toMatch(/^[\x20-\x7e]+$/u);
  });

  it('is the same value', () => {
    const value = { [ACTING]: [ACTING, 'für Ágnes 機 😀', 1, null] };
    expect(JSON.parse(seenJson(JSON.stringify(value)))).toEqual(value);
  });

  it('is unchanged without invisible characters', () => {
    expect(seenJson('{"name":"rack1-u01 für Ágnes 機 😀"}')).toBe(
      '{"name":"rack1-u01 für Ágnes 機 😀"}',
    );
  });
});
