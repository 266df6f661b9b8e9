/**
 * The text without so many of a character as stand at its end. In steps of its length: a pattern such as `-+$` looks at
 * every run of the character anew, which is the square of a text that is full of them.
 * @param character one UTF-16 unit
 */
export function withoutTrailing(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}
