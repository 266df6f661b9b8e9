import { describe, expect, it } from '@jest/globals';
import { tokensOf } from './tokenizer.js';

const tokens = (rule: string): readonly string[] =>
  tokensOf(rule).map(({ type, text }) =>
    type === 'check' || type === 'quoted' ? `${type} ${text}` : type,
  );

describe('the tokens of a check string', () => {
  it('are split at any white space of Python', () => {
    expect(tokens(' role:a\tand\n role:b\u00a0or\u2003@ \u001f!')).toEqual([
      'check role:a',
      'and',
      'check role:b',
      'or',
      'check @',
      'check !',
    ]);
  });

  it('are not split at a byte order mark, which is no white space in Python', () => {
    expect(tokens('role:a\ufeffor')).toEqual(['check role:a\ufeffor']);
  });

  it('lose parentheses at their ends, and keep those within', () => {
    expect(tokens('((role:a) or project_id:%(node.owner)s)')).toEqual([
      '(',
      '(',
      'check role:a',
      ')',
      'or',
      'check project_id:%(node.owner)s',
      ')',
    ]);
    expect(tokens('( ) )(')).toEqual(['(', ')', 'check )(']);
  });

  it('are operators in any case, also next to a parenthesis', () => {
    expect(tokens('AND oR Not) (nOT')).toEqual(['and', 'or', 'not', ')', '(', 'not']);
  });

  it('are quoted when they begin and end with the same quote, even if a colon is within', () => {
    expect(tokens(`"role:a" 'x':'y' 'x':%(y)s '`)).toEqual([
      'quoted "role:a"',
      "quoted 'x':'y'",
      "check 'x':%(y)s",
      "check '",
    ]);
  });

  it('are not quoted when a parenthesis follows the quote', () => {
    expect(tokens(`('x':'y')`)).toEqual(['(', "check 'x':'y'", ')']);
  });

  it('are none in an empty string', () => {
    expect(tokens('')).toEqual([]);
    expect(tokens(' \n')).toEqual([]);
  });
});
