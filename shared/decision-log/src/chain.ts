import { hash } from 'node:crypto';

/** The end of a chain of records: the number of its last record, and the digest of that record's line. */
export interface ChainPosition {
  readonly seq: number;
  readonly hash: string;
}

/** Before the first record of an instance. */
export const GENESIS: ChainPosition = { seq: 0, hash: '0'.repeat(43) };

/** SHA-256 of a line without its newline, in base64url. */
export const lineHash = (line: string | Uint8Array): string => hash('sha256', line, 'base64url');

/**
 * A record as the next link of a chain: a line of JSON that says its number and the digest of the line before.
 * @param members the record's own members as JSON text, without braces, and not empty
 */
export function chainLine(
  { seq, hash: prev }: ChainPosition,
  members: string,
): { readonly line: string; readonly position: ChainPosition } {
  const line = `{"seq":${seq + 1},"prev":"${prev}",${members}}`;
  return { line, position: { seq: seq + 1, hash: lineHash(line) } };
}
