import { withoutTrailing } from '@tenure/contracts';
/** A token of a check string, as oslo.policy splits it. `text` is as written, without surrounding parentheses. */
export interface Token {
  readonly type: 'and' | 'or' | 'not' | '(' | ')' | 'quoted' | 'check';
  readonly text: string;
}

// White space in Python. JavaScript counts the byte order mark too, but not these five.
const WHITE_SPACE = new RegExp(
  `(?:(?!\\ufeff)\\s|[${String.fromCodePoint(0x1c, 0x1d, 0x1e, 0x1f, 0x85)}])+`,
  'u',
);

const OPERATORS: ReadonlyMap<string, Token['type']> = new Map([
  ['and', 'and'],
  ['or', 'or'],
  ['not', 'not'],
]);

/**
 * Splits a check string at white space. Parentheses count only at the ends of a word, so that `%(x)s` stays whole; a
 * blank within quotes still splits.
 */
export const tokensOf = (rule: string): readonly Token[] =>
  rule
    .split(WHITE_SPACE)
    .filter((part) => part !== '')
    .flatMap((part) => {
      const word = part.replace(/^\(+/u, '');
      const opening = Array.from({ length: part.length - word.length }, (): Token => ({
        type: '(',
        text: '(',
      }));
      return word === '' ? opening : [...opening, ...wordTokens(word)];
    });

/** `word` begins with no "(". The quotes are looked for before closing parentheses are taken off, as oslo.policy does. */
function wordTokens(word: string): readonly Token[] {
  const text = withoutTrailing(word, ')');
  const closing = Array.from({ length: word.length - text.length }, (): Token => ({
    type: ')',
    text: ')',
  }));
  if (text === '') return closing;
  const operator = OPERATORS.get(text.toLowerCase());
  if (operator !== undefined) return [{ type: operator, text }, ...closing];
  return [{ type: isQuoted(word) ? 'quoted' : 'check', text }, ...closing];
}

const isQuoted = (word: string): boolean => word.length >= 2 && /^(?:".*"|'.*')$/su.test(word);
