const BACKSLASH = 0x5c;
const QUOTE = 0x22;
const COLON = 0x3a;
/** Characters that are compared one by one: most names are shorter than the start-up cost of a search. */
const SHORT = 16;

/** Names of the members of one object: the first is separate, because most objects have few. */
interface Names {
  first: string | undefined;
  others: Set<string> | undefined;
}

/** Nesting of a JSON text, counted before it is parsed; brackets in strings do not count. */
export function jsonDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) index = endOfString(text, index) - 1;
    else if (isOpening(code)) deepest = Math.max(deepest, (depth += 1));
    else if (isClosing(code)) depth -= 1;
  }
  return deepest;
}

/**
 * True when some object in the text has a member twice. Parsers differ in which one they take,
 * so neither a token nor a body may have any.
 * @param text JSON that `JSON.parse` has already accepted
 */
export function hasDuplicateMembers(text: string): boolean {
  const open: (Names | undefined)[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x7b) open.push({ first: undefined, others: undefined });
    else if (code === 0x5b) open.push(undefined);
    else if (isClosing(code)) open.pop();
    else if (code === QUOTE) {
      const end = endOfString(text, index);
      const members = open.at(-1);
      // In an object, a string before a colon is a member's name.
      if (
        members !== undefined &&
        text.charCodeAt(skipSpaces(text, end)) === COLON &&
        !add(members, nameIn(text.slice(index, end)))
      )
        return true;
      index = end - 1;
    }
  }
  return false;
}

/** Index just after the string literal that starts at `start`; the length of the text without a closing quotation mark. */
function endOfString(text: string, start: number): number {
  const shortEnd = Math.min(start + SHORT, text.length);
  let index = start + 1;
  while (index < shortEnd && text.charCodeAt(index) !== QUOTE)
    index += text.charCodeAt(index) === BACKSLASH ? 2 : 1;
  if (index < shortEnd) return index + 1;
  let quote = text.indexOf('"', index);
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote === -1 ? text.length : quote + 1;
}

const isOpening = (code: number): boolean => code === 0x7b || code === 0x5b;
const isClosing = (code: number): boolean => code === 0x7d || code === 0x5d;

/** Whether a quotation mark is part of a string: an odd number of backslashes precedes it. */
function isEscaped(text: string, quote: number): boolean {
  let index = quote - 1;
  while (text.charCodeAt(index) === BACKSLASH) index -= 1;
  return (quote - index) % 2 === 0;
}

function skipSpaces(text: string, start: number): number {
  let index = start;
  while (isSpace(text.charCodeAt(index))) index += 1;
  return index;
}

/** @returns false for a name that was added before */
function add(names: Names, name: string): boolean {
  if (names.first === undefined) {
    names.first = name;
    return true;
  }
  if (names.first === name) return false;
  names.others ??= new Set();
  const { size } = names.others;
  return names.others.add(name).size > size;
}

const nameIn = (literal: string): string =>
  literal.includes('\\') ? String(JSON.parse(literal)) : literal.slice(1, -1);

const isSpace = (code: number): boolean =>
  code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
