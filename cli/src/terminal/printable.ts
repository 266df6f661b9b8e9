import { seenJson } from '@tenure/contracts';

export { printable, printableText } from '@tenure/contracts';

/** One JSON document for a terminal or a program: the same value, and no character of it acts on a terminal. */
export function printableJson(document: unknown): string {
  const lines = JSON.stringify(document, null, 2).split('\n');
  return `${lines.map(seenJson).join('\n')}\n`;
}

/** Like `printableJson`, on one line. */
export const printableJsonLine = (document: unknown): string =>
  `${seenJson(JSON.stringify(document))}\n`;
