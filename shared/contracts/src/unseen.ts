/**
 * Characters that act on a terminal or are not seen: controls (C0, DEL, C1), half and private characters, line and paragraph
 * separators, and those that turn text around or are ignored.
 */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

// Most texts have none, and this is cheaper to find out.
const UNUSUAL = /[^\x20-\x7E]/u;

const jsonEscapeOf = (character: string): string =>
  [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');

/**
 * The same JSON with escapes in the place of characters that are not seen. `JSON.stringify` leaves DEL, C1 controls and what
 * turns text around as they are.
 * @param json JSON text without line breaks between its values
 */
export const seenJson = (json: string): string =>
  UNUSUAL.test(json) ? json.replaceAll(UNSEEN, jsonEscapeOf) : json;

const escapeOf = (character: string): string =>
  `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** Text that others wrote, for a terminal: nothing in it moves the cursor, is invisible, or begins a line. */
export const printable = (text: string): string => text.replaceAll(UNSEEN, escapeOf);

/** As `printable`, of text that has lines and tabs of its own. */
export const printableText = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .replaceAll(UNSEEN, (character) =>
      character === '\n' || character === '\t' ? character : escapeOf(character),
    );
