import { describe, expect, it } from '@jest/globals';
import { printable, printableJson } from './printable.js';

describe('text that others wrote', () => {
  it('does not act on the terminal that it is printed on', () => {
    expect(printable('a\u001b[2Jb\nc\u009b\u202ed\u200b')).toBe(
      String.raw`a\u{1b}[2Jb\u{a}c\u{9b}\u{202e}d\u{200b}`,
    );
  });

  it('cannot look like another record', () => {
    expect(printable('p\n2026 allow\u001b[31m')).toBe(String.raw`p\u{a}2026 allow\u{1b}[31m`);
  });

  it('is left as it is when it is plain, in whatever script', () => {
    expect(printable('rack1-u01 für Ágnes 機')).toBe('rack1-u01 für Ágnes 機');
  });

  it('stays the same value as JSON', () => {
    const value = { text: 'a\u009b\u202e\u{e0001}\n', list: [1, null] };
    const text = printableJson(value);
    expect(text).not.toMatch(/[\u009b\u202e\u{e0001}]/u);
    expect(JSON.parse(text)).toEqual(value);
  });
});
