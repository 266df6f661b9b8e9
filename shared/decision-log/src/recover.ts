import { type KeyObject } from 'node:crypto';
import { truncate } from 'node:fs/promises';
import path from 'node:path';
import { replaceFile, textIfThere } from '@tenure/process';
import { type ChainPosition, GENESIS } from './chain.js';
import { HEAD_FILE, sealFile, segmentFile, segmentsIn } from './layout.js';
import { linesOf } from './lines.js';
import { type Link, linkOf } from './link.js';
import { Head, readStatement, type SegmentSeal, signStatement } from './statements.js';

/** The instance, directory and keys of a log. */
export interface LogIdentity {
  readonly dir: string;
  readonly instance: string;
  /** A private key on P-256. */
  readonly key: KeyObject;
  /** Its public half, and those of keys that signed before. */
  readonly publicKeys: readonly KeyObject[];
}

/** Where an instance goes on writing. */
export interface Continuation {
  readonly position: ChainPosition;
  /** The segment that is opened next. */
  readonly segment: number;
  /** The oldest segment that is kept, and the record before its first. */
  readonly first: { readonly segment: number; readonly position: ChainPosition };
  /** Faults that were found. They are not repaired, so that `tenure decisions verify` reports them. */
  readonly faults: readonly string[];
}

interface Tail {
  readonly first: Link | undefined;
  readonly last: Link | undefined;
  /** Whether the record that the head speaks of is there, unchanged. */
  readonly holdsHead: boolean;
}

interface SignedHead {
  readonly head: Head | undefined;
  readonly faults: readonly string[];
}

type Youngest = Awaited<ReturnType<typeof youngest>>;

/**
 * Closes a segment: what it holds is signed.
 * @param before the record before its first
 */
export async function sealSegment(
  { dir, instance, key }: LogIdentity,
  segment: number,
  before: ChainPosition,
  last: ChainPosition,
): Promise<SegmentSeal> {
  const seal: SegmentSeal = {
    typ: 'segment',
    instance,
    segment,
    first_seq: before.seq,
    first_prev: before.hash,
    last_seq: last.seq,
    last_hash: last.hash,
    at: new Date().toISOString(),
  };
  await replaceFile(path.join(dir, sealFile(segment)), signStatement(seal, key));
  return seal;
}

/**
 * Finds the end of an instance's log. Records that do not match the signatures are neither repaired nor signed again: the log
 * continues after the last signed record, and the gap stays visible.
 */
export async function recoverLog(identity: LogIdentity): Promise<Continuation> {
  const { head, faults } = await readHead(identity);
  const segments = await segmentsIn(identity.dir);
  const after = {
    segment: Math.max(0, head?.segment ?? 0, segments.at(-1) ?? 0) + 1,
    first: firstOf(head, segments[0] ?? 1),
  };
  const found = await youngest(identity, segments, head);
  if (!isWhole(found, head))
    return {
      ...after,
      position: positionOf(head),
      faults: [...faults, 'it lacks records that were signed'],
    };
  if (found === undefined) return { ...after, position: positionOf(head), faults };
  if (head === undefined)
    return {
      ...after,
      position: behindTheLost(found.tail),
      faults: [...faults, 'it has no head, so that its end may be lost'],
    };
  const seal = await textIfThere(path.join(identity.dir, sealFile(found.segment)));
  if (seal === undefined) await sealTail(identity, found.segment, found.tail);
  return { ...after, position: found.tail.last ?? positionOf(head), faults };
}

async function readHead({ dir, publicKeys }: LogIdentity): Promise<SignedHead> {
  const text = await textIfThere(path.join(dir, HEAD_FILE));
  if (text === undefined) return { head: undefined, faults: [] };
  const head = readStatement(Head, text, publicKeys);
  return { head, faults: head === undefined ? ['its head is not ours'] : [] };
}

const firstOf = (head: Head | undefined, segment: number): Continuation['first'] =>
  head === undefined
    ? { segment, position: GENESIS }
    : {
        segment: head.first_segment,
        position: { seq: head.first_seq, hash: head.first_prev },
      };

/** The youngest segment that holds records; a process that died at once leaves an empty one. */
async function youngest(
  { dir }: LogIdentity,
  segments: readonly number[],
  head: Head | undefined,
): Promise<{ readonly segment: number; readonly tail: Tail } | undefined> {
  for (const segment of segments.toReversed()) {
    const file = path.join(dir, segmentFile(segment));
    const tail = await readTail(file, head?.segment === segment ? head : undefined);
    if (tail.last !== undefined) return { segment, tail };
  }
  return undefined;
}

/** Whether everything that was signed is there. */
const isWhole = (found: Youngest, head: Head | undefined): boolean =>
  head === undefined ||
  head.seq === 0 ||
  (found !== undefined && found.segment >= head.segment && found.tail.holdsHead);

const positionOf = (head: Head | undefined): ChainPosition =>
  head === undefined ? GENESIS : { seq: head.seq, hash: head.hash };

/** Without a head, the end of the log may be lost too. The chain skips one number, so that the log does not look complete. */
const behindTheLost = ({ last }: Tail): ChainPosition =>
  last === undefined ? GENESIS : { seq: last.seq + 1, hash: last.hash };

/** A segment that a stopped or killed process left open is closed by its successor. */
async function sealTail(
  identity: LogIdentity,
  segment: number,
  { first, last }: Tail,
): Promise<void> {
  if (first === undefined || last === undefined) return;
  await sealSegment(identity, segment, { seq: first.seq - 1, hash: first.prev }, last);
}

async function readTail(file: string, head: Head | undefined): Promise<Tail> {
  const links = await linksIn(file);
  const isTheHeads = ({ seq, hash }: Link): boolean => seq === head?.seq && hash === head.hash;
  return {
    first: links[0],
    last: links.at(-1),
    holdsHead: head === undefined || links.some(isTheHeads),
  };
}

/** The records of a segment. A last line without its newline was never acknowledged: it is cut off. */
async function linksIn(file: string): Promise<readonly Link[]> {
  const links: Link[] = [];
  for await (const { bytes, offset, isWhole } of linesOf(file)) {
    if (!isWhole) {
      await truncate(file, offset);
      break;
    }
    const link = linkOf(bytes);
    if (link !== undefined) links.push(link);
  }
  return links;
}
