import { describe, expect, it } from '@jest/globals';
import { questionText } from './question-text.js';

describe('questionText', () => {
  it.each([
    ['a lone high surrogate', { a: 'x\ud800' }, '{"a":"x\ufffd"}'],
    ['a lone low surrogate in a name', { 'n\udc00': [1] }, '{"n\ufffd":[1]}'],
    ['a pair', { a: '\ud83d\ude00' }, '{"a":"\ud83d\ude00"}'],
    ['text that only looks like an escape', { a: '\\ud800' }, '{"a":"\\\\ud800"}'],
    ['null', null, 'null'],
    ['an empty text', '', '""'],
  ])('writes %s', (_what, input, text) => {
    expect(questionText(input)).toBe(text);
  });

  it('keeps a member called __proto__ a member', () => {
    const input: unknown = JSON.parse('{"__proto__":{"a":"\\ud800"}}');
    expect(questionText(input)).toBe('{"__proto__":{"a":"\ufffd"}}');
  });
});
