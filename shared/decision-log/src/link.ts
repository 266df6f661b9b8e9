import { type ChainPosition, lineHash } from './chain.js';

/** One line of a segment, as a link of the chain. */
export interface Link extends ChainPosition {
  /** The digest of the line before, as this one says. */
  readonly prev: string;
  readonly decisionId: string | undefined;
}

/** @returns undefined when the line is no record of a chain */
export function linkOf(line: Buffer): Link | undefined {
  let record: unknown;
  try {
    record = JSON.parse(line.toString('utf8'));
  } catch {
    return undefined;
  }
  if (typeof record !== 'object' || record === null) return undefined;
  const seq: unknown = Reflect.get(record, 'seq');
  const prev = textOf(Reflect.get(record, 'prev'));
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 1 || prev === undefined)
    return undefined;
  return {
    seq,
    prev,
    hash: lineHash(line),
    decisionId: textOf(Reflect.get(record, 'decision_id')),
  };
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;
