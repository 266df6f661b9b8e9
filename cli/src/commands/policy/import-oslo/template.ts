import { CheckRefused } from './faults.js';

/** A piece of the right side of a check: text, or the value of a key of the target. */
type Piece = { readonly text: string } | { readonly key: string };

/** The right side of a check, in pieces. Neighbouring texts are one piece; the empty text is no piece. */
export type Template = readonly Piece[];

const PIECES = /%\((?<key>[^()]*)\)s|%(?<percent>%)|(?<text>[^%]+)/guy;

/**
 * Reads `%(key)s` and `%%` as Python's formatting does; its other formats are of no use in a policy.
 * @throws CheckRefused for other conversions, most of which are errors in Python too
 */
export function templateOf(match: string): Template {
  const pieces: Piece[] = [];
  let read = 0;
  const addText = (text: string): void => {
    const last = pieces.at(-1);
    if (last !== undefined && 'text' in last) pieces.splice(-1, 1, { text: last.text + text });
    else pieces.push({ text });
  };
  for (const { 0: whole, groups } of match.matchAll(PIECES)) {
    read += whole.length;
    if (groups?.['key'] !== undefined) pieces.push({ key: groups['key'] });
    else addText(groups?.['percent'] ?? whole);
  }
  if (read < match.length)
    throw new CheckRefused(`"${match}" holds a % that is neither %(name)s nor %%`);
  return pieces;
}

/** The text of a template without keys; undefined when it has any. */
export function constantOf(template: Template): string | undefined {
  const texts = template.map((piece) => ('text' in piece ? piece.text : undefined));
  return texts.includes(undefined) ? undefined : texts.join('');
}
