import { describe, expect, it } from '@jest/globals';
import { type Check } from './check.js';
import { CheckRefused } from './faults.js';
import { parseCheckList, parseCheckString } from './parser.js';

function written(check: Check): string {
  switch (check.is) {
    case 'always':
      return '@';
    case 'never':
      return '!';
    case 'check':
      return `${check.kind}:${check.match}`;
    case 'not':
      return `not ${written(check.check)}`;
    case 'and':
    case 'or':
      return `(${check.checks.map(written).join(` ${check.is} `)})`;
  }
}

const parsed = (rule: string): string => written(parseCheckString(rule));

describe('a check string', () => {
  it('binds not before and, and and before or', () => {
    expect(parsed('a:1 or b:2 and c:3')).toBe('(a:1 or (b:2 and c:3))');
    expect(parsed('a:1 and b:2 or c:3 and d:4')).toBe('((a:1 and b:2) or (c:3 and d:4))');
    expect(parsed('not a:1 and b:2')).toBe('(not a:1 and b:2)');
    expect(parsed('a:1 or not b:2 and not c:3 or d:4')).toBe(
      '(a:1 or (not b:2 and not c:3) or d:4)',
    );
  });

  it('keeps the content of parentheses together', () => {
    expect(parsed('(a:1 or b:2) and c:3')).toBe('((a:1 or b:2) and c:3)');
    expect(parsed('not (a:1 or b:2)')).toBe('not (a:1 or b:2)');
    expect(parsed('((a:1))')).toBe('a:1');
    expect(parsed('not not a:1')).toBe('not not a:1');
  });

  it('cuts a check at its first colon', () => {
    expect(parseCheckString('rule:baremetal:node:get')).toEqual({
      is: 'check',
      kind: 'rule',
      match: 'baremetal:node:get',
    });
  });

  it('knows @, ! and the empty string', () => {
    expect(parsed('@')).toBe('@');
    expect(parsed('!')).toBe('!');
    expect(parsed('')).toBe('@');
    expect(parsed('@ and not !')).toBe('(@ and not !)');
  });

  it.each([
    ['a:1 b:2'],
    ['a:1 and'],
    ['or a:1'],
    ['a:1 and or b:2'],
    ['(a:1'],
    ['a:1)'],
    ['()'],
    ['not'],
    [' '],
    ['"a:1"'],
    ["'a':'b'"],
    ['a:1 and "quoted"'],
  ])('that oslo.policy does not understand is refused: %s', (rule) => {
    expect(() => parseCheckString(rule)).toThrow(/cannot be parsed/u);
  });

  it('with a word that is no check is refused by that word', () => {
    expect(() => parseCheckString('role:a and admin')).toThrow('"admin" is not a check');
  });

  it('with hundreds of parentheses is refused', () => {
    expect(() => parseCheckString(`${'('.repeat(501)}a:1${')'.repeat(501)}`)).toThrow(CheckRefused);
    expect(parsed(`${'('.repeat(500)}a:1${')'.repeat(500)}`)).toBe('a:1');
  });
});

describe('a list of lists', () => {
  it('is an or of ands', () => {
    expect(written(parseCheckList([['a:1', 'b:2'], 'c:3']))).toBe('((a:1 and b:2) or c:3)');
    expect(written(parseCheckList([['a:1']]))).toBe('a:1');
  });

  it('is always when it is empty, and never when all in it is', () => {
    expect(written(parseCheckList([]))).toBe('@');
    expect(written(parseCheckList([[], '']))).toBe('!');
    expect(written(parseCheckList([[], 'a:1']))).toBe('a:1');
  });

  it('does not cut its checks at blanks', () => {
    expect(written(parseCheckList(['role:a and role:b']))).toBe('role:a and role:b');
  });

  it('refuses an empty check within a list', () => {
    expect(() => parseCheckList([['', 'a:1']])).toThrow('"" is not a check');
  });
});
