/**
 * Invisible characters and those that control a terminal: C0, DEL, C1, lone surrogates, private use, line and paragraph
 * separators, bidirectional controls and default-ignorable characters.
 */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

// A cheap test first: most texts have no such character.
const UNUSUAL = /[^\x20-\x7E]/u;

/**
 * Escapes invisible characters in JSON. `JSON.stringify` leaves DEL, C1 controls and bidirectional controls unescaped.
 * @param json JSON text without line breaks between its values
 */
export const seenJson = (json: string): string =>
  UNUSUAL.test(json) ? json.replaceAll(UNSEEN, jsonEscapeOf) : json;

/** Escapes untrusted text for a terminal: it cannot move the cursor, be invisible, or start a line. */
export const printable = (text: string): string => text.replaceAll(UNSEEN, escapeOf);

/** As `printable`, but keeps line breaks and tabs. */
export const printableText = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .replaceAll(UNSEEN, (character) =>
      character === '\n' || character === '\t' ? character : escapeOf(character),
    );

const jsonEscapeOf = (character: string): string =>
  [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');

const escapeOf = (character: string): string =>
  `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
