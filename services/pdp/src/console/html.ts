/** Text that is HTML already. Only `html` creates it, never from foreign text. */
export class Html {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** Content of a template: text, which is escaped; HTML, which is not; or nothing. */
export type Content = Html | string | number | undefined | readonly Content[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

const SPACES: readonly string[] = ['\t', '\n', '\r'];

/** A template of HTML. All content is escaped, unless it came from another such template. */
export const html = (parts: TemplateStringsArray, ...contents: readonly Content[]): Html =>
  new Html(parts.map((part, at) => part + textOf(contents[at])).join(''));

/** An address within the console with its query, members without a value left out. */
export function address(
  path: string,
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const given = Object.entries(query).filter(
    (member): member is [string, string] => member[1] !== undefined && member[1] !== '',
  );
  const text = new URLSearchParams(given).toString();
  return text === '' ? path : `${path}?${text}`;
}

function textOf(content: Content): string {
  if (content === undefined) return '';
  if (content instanceof Html) return String(content);
  if (typeof content === 'string' || typeof content === 'number') return escaped(String(content));
  return content.map(textOf).join('');
}

/** Text as it may stand in an element, or in an attribute between quotation marks. Characters that do not show are named. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[&<>"'`]/gu, (character) => ENTITIES[character] ?? '')
    // Control characters and marks that change the direction of text, so that they cannot disguise an id.
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
      SPACES.includes(character)
        ? character
        : `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
    );
