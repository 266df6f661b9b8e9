/** Controls, and what cannot be seen: whoever wrote it must not write to the screen of whoever reads it. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** A text for a terminal, on one line: what cannot be seen is written as `\u{…}`. */
export const printable = (text: string): string =>
  text.replaceAll(UNSEEN, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);
