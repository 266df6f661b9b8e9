const BACKSLASH = 0x5c;
const QUOTE = 0x22;
const COLON = 0x3a;

/** Index just after the string literal that starts at `start`. */
const endOfString = (text: string, start: number): number => {
  let index = start + 1;
  while (text.charCodeAt(index) !== QUOTE) index += text.charCodeAt(index) === BACKSLASH ? 2 : 1;
  return index + 1;
};

const SPACES: ReadonlySet<string> = new Set([' ', '\t', '\n', '\r']);

const skipSpaces = (text: string, start: number): number => {
  let index = start;
  while (SPACES.has(text[index] ?? '')) index += 1;
  return index;
};

const nameIn = (literal: string): string =>
  literal.includes('\\') ? String(JSON.parse(literal)) : literal.slice(1, -1);

/**
 * True when some object in the text has a member twice. Parsers differ in which one they take,
 * so neither a token nor a body may have any.
 * @param text JSON that `JSON.parse` has already accepted
 */
export const hasDuplicateMembers = (text: string): boolean => {
  const open: (Set<string> | undefined)[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '{') open.push(new Set());
    else if (character === '[') open.push(undefined);
    else if (character === '}' || character === ']') open.pop();
    else if (character === '"') {
      const end = endOfString(text, index);
      const members = open.at(-1);
      // In an object, a string before a colon is a member's name.
      if (members !== undefined && text.charCodeAt(skipSpaces(text, end)) === COLON) {
        const name = nameIn(text.slice(index, end));
        if (members.has(name)) return true;
        members.add(name);
      }
      index = end - 1;
    }
  }
  return false;
};
