// Controls, half characters, private ones, line separators, and what is not seen or turns text around.
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const escaped = (character: string): string =>
  `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** Text that others wrote, for a terminal: nothing in it moves the cursor, is invisible, or begins a line. */
export const printable = (text: string): string => text.replaceAll(UNSEEN, escaped);

const jsonEscaped = (character: string): string =>
  [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');

/** As `printable`, of text that has lines and tabs of its own. */
export const printableText = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .replaceAll(UNSEEN, (character) =>
      character === '\n' || character === '\t' ? character : escaped(character),
    );

/** As `printableJson`, on one line. */
export const printableJsonLine = (document: unknown): string =>
  `${JSON.stringify(document).replaceAll(UNSEEN, jsonEscaped)}\n`;

/** One JSON document for a terminal or a program: the same value, and no character of it acts on a terminal. */
export const printableJson = (document: unknown): string => {
  const lines = JSON.stringify(document, null, 2).split('\n');
  return `${lines.map((line) => line.replaceAll(UNSEEN, jsonEscaped)).join('\n')}\n`;
};
