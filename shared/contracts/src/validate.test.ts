import { describe, expect, it } from '@jest/globals';
import { Type } from '@sinclair/typebox';
import { JsonPatch } from './json-patch.js';
import { matches, parse } from './validate.js';

const Named = Type.Object({ name: Type.String({ maxLength: 3 }) }, { additionalProperties: false });

describe('parse', () => {
  it('returns a value that matches the schema', () => {
    expect(parse(Named, { name: 'abc' }, 'node')).toEqual({ name: 'abc' });
  });

  it('names the member that does not belong', () => {
    expect(() => parse(Named, { name: 'abc', bogus: 1 }, 'node')).toThrow(
      "Schema error for node: must NOT have additional properties ('bogus' was unexpected)",
    );
  });

  it('does not coerce', () => {
    expect(matches(Named, { name: 1 })).toBe(false);
  });
});

describe('JsonPatch', () => {
  it('takes add, replace and remove', () => {
    expect(
      matches(JsonPatch, [
        { op: 'add', path: '/extra/a', value: null },
        { op: 'remove', path: '/owner' },
      ]),
    ).toBe(true);
  });

  it.each([
    ['move', [{ op: 'move', path: '/a', from: '/b' }]],
    ['test', [{ op: 'test', path: '/a', value: 1 }]],
    ['the whole document', [{ op: 'replace', path: '', value: {} }]],
    ['an object', { op: 'add' }],
  ])('refuses %s', (_what, patch) => {
    expect(matches(JsonPatch, patch)).toBe(false);
  });
});
