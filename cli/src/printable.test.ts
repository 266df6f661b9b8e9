import { describe, expect, it } from '@jest/globals';
import { printable } from './printable.js';

describe('what is printed of a stored text', () => {
  it('writes nothing to the screen but itself', () => {
    expect(printable('p\n2026 allow\u001b[31m\u200b\u202e')).toBe(
      String.raw`p\u{a}2026 allow\u{1b}[31m\u{200b}\u{202e}`,
    );
    expect(printable('Zoë 项目')).toBe('Zoë 项目');
  });
});
