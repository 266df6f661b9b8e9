import { type KeyObject } from 'node:crypto';
import path from 'node:path';
import { textIfThere } from '@tenure/process';
import { type ChainPosition, GENESIS } from './chain.js';
import { HEAD_FILE, sealFile, segmentFile, segmentsIn } from './layout.js';
import { linesOf } from './lines.js';
import { type Link, linkOf } from './link.js';
import { Head, readStatement, SegmentSeal } from './statements.js';

type FindingKind =
  | 'edited'
  | 'removed'
  | 'reordered'
  | 'duplicated'
  | 'truncated'
  | 'unreadable'
  | 'not_sealed'
  | 'bad_seal';

/** A deviation of the log from what was written. */
export interface Finding {
  readonly kind: FindingKind;
  readonly instance: string;
  readonly segment: number;
  /** From 1; absent when the line is not there. */
  readonly line?: number;
  /** The number of the record, or of the first and last of several. */
  readonly seq?: number;
  readonly last_seq?: number;
  readonly decision_id?: string;
  readonly about: string;
}

export interface Verified {
  readonly instance: string;
  readonly records: number;
  readonly segments: number;
  /** Records after the last signature: chained, but no signature proves yet that no more followed. */
  readonly unsigned: number;
  readonly findings: readonly Finding[];
}

interface Placed extends Link {
  readonly line: number;
}

interface Read {
  readonly links: readonly Placed[];
  readonly findings: readonly Finding[];
}

type Place = Pick<Finding, 'instance' | 'segment'>;

interface Walk {
  readonly dir: string;
  readonly instance: string;
  readonly keys: readonly KeyObject[];
  readonly head: Head | undefined;
}

/**
 * Checks the log of one instance: every record's place in the chain, every closed segment's seal, and the head.
 * @param keys public keys of which one must have signed
 * @throws Error when a file cannot be read
 */
export async function verifyLog(
  dir: string,
  instance: string,
  keys: readonly KeyObject[],
): Promise<Verified> {
  // The head is read first, so that records written while the segments are read come after it.
  const headText = await textIfThere(path.join(dir, HEAD_FILE));
  const head = headOf(headText, instance, keys);
  const walk: Walk = { dir, instance, keys, head };
  const segments = await segmentsIn(dir);
  const findings: Finding[] = [...headFindings(walk, headText !== undefined, segments)];
  let before: ChainPosition =
    head === undefined ? GENESIS : { seq: head.first_seq, hash: head.first_prev };
  let records = 0;
  for (const segment of segments) {
    if (head !== undefined && segment < head.first_segment) continue;
    const isLast = segment === segments.at(-1);
    const verified = await verifySegment(walk, segment, { before, isLast });
    findings.push(...verified.findings);
    before = verified.end;
    records += verified.records;
  }
  return {
    instance,
    records,
    segments: segments.length,
    unsigned: Math.max(0, before.seq - (head?.seq ?? 0)),
    findings: once(findings),
  };
}

function headOf(text: string | undefined, instance: string, keys: readonly KeyObject[]) {
  const head = text === undefined ? undefined : readStatement(Head, text, keys);
  return head?.instance === instance ? head : undefined;
}

function headFindings(
  { head, instance }: Walk,
  hasText: boolean,
  segments: readonly number[],
): readonly Finding[] {
  const last = segments.at(-1) ?? 0;
  if (head === undefined)
    return [
      {
        kind: hasText ? 'bad_seal' : 'not_sealed',
        instance,
        segment: last,
        about: hasText ? 'the head is not signed with this key' : 'the head is missing',
      },
    ];
  const missing: Finding[] = [];
  for (let segment = head.first_segment; segment <= head.segment; segment += 1)
    if (!segments.includes(segment) && segment === head.segment)
      missing.push({
        kind: 'truncated',
        instance,
        segment,
        seq: head.seq,
        about: `the segment is missing that ends with record ${head.seq}`,
      });
  return missing;
}

async function verifySegment(
  walk: Walk,
  segment: number,
  { before, isLast }: { readonly before: ChainPosition; readonly isLast: boolean },
): Promise<{ end: ChainPosition; records: number; findings: readonly Finding[] }> {
  const place: Place = { instance: walk.instance, segment };
  const { links, findings } = await readSegment(
    path.join(walk.dir, segmentFile(segment)),
    place,
    isLast,
  );
  // A process that ended before its first record leaves an empty segment, which nobody seals. Records that were taken
  // out of a segment are missing from the chain.
  const isEmpty = links.length === 0 && findings.length === 0;
  const seal = await sealOf(walk, place, !isLast && !isEmpty);
  const found = [...findings, ...misplaced(links, place), ...followed(links, before, place)];
  const part = { links, place, before };
  if (seal !== undefined)
    found.push(
      ...('kind' in seal
        ? [seal]
        : againstSeal(part, { seq: seal.last_seq, hash: seal.last_hash })),
    );
  if (walk.head?.segment === segment) found.push(...againstSeal(part, walk.head));
  return { end: endOf(links, before), records: links.length, findings: found };
}

/** The same record may be named by its seal, by the head and by the record behind it. */
const once = (findings: readonly Finding[]): readonly Finding[] => [
  ...new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values(),
];

/** An incomplete last line of the last segment may be one that is being written: the head shows whether it is missing. */
async function readSegment(file: string, place: Place, isLast: boolean): Promise<Read> {
  const links: Placed[] = [];
  const findings: Finding[] = [];
  let line = 0;
  for await (const { bytes, isWhole } of linesOf(file)) {
    line += 1;
    const link = linkOf(bytes);
    if (link !== undefined && isWhole) links.push({ ...link, line });
    else if (isWhole || !isLast)
      findings.push({ ...place, kind: 'unreadable', line, about: 'the line is no whole record' });
  }
  return { links, findings };
}

async function sealOf(
  { dir, keys }: Walk,
  place: Place,
  needsSeal: boolean,
): Promise<SegmentSeal | Finding | undefined> {
  const text = await textIfThere(path.join(dir, sealFile(place.segment)));
  if (text === undefined)
    return needsSeal ? { ...place, kind: 'not_sealed', about: 'its seal is missing' } : undefined;
  const seal = readStatement(SegmentSeal, text, keys);
  return seal?.segment === place.segment && seal.instance === place.instance
    ? seal
    : { ...place, kind: 'bad_seal', about: 'its seal is not signed with this key, or not for it' };
}

/** Finds records out of order, judged by the records' own numbers. */
function misplaced(links: readonly Placed[], place: Place): readonly Finding[] {
  const seen = new Set<number>();
  let highest = 0;
  return links.flatMap((link): readonly Finding[] => {
    const isTwice = seen.has(link.seq);
    seen.add(link.seq);
    if (isTwice)
      return [{ ...place, kind: 'duplicated', ...named(link), about: 'the record is there twice' }];
    if (link.seq < highest)
      return [
        {
          ...place,
          kind: 'reordered',
          ...named(link),
          about: 'the record is stored after a later one',
        },
      ];
    highest = link.seq;
    return [];
  });
}

/** Follows the chain through a segment, from the record before it. */
function followed(
  links: readonly Placed[],
  before: ChainPosition,
  place: Place,
): readonly Finding[] {
  let last: ChainPosition & { readonly link?: Placed } = before;
  return inOrder(links).flatMap((link): readonly Finding[] => {
    const previous = last;
    last = { ...link, link };
    if (link.seq > previous.seq + 1) return [gap(previous.seq + 1, link.seq - 1, place)];
    if (link.prev === previous.hash) return [];
    // This record contains the digest of the line before: a mismatch means that the line before was edited.
    return [edited(previous.link ?? link, place)];
  });
}

/** Whether a segment ends where it was signed that it does. */
function againstSeal(
  { links, place, before }: { links: readonly Placed[]; place: Place; before: ChainPosition },
  said: ChainPosition,
): readonly Finding[] {
  const last = inOrder(links).at(-1);
  const end = last ?? before;
  if (end.seq < said.seq)
    return [
      {
        ...gap(end.seq + 1, said.seq, place),
        kind: 'truncated',
        about: `the segment ends at record ${end.seq}, not at ${said.seq} as was signed`,
      },
    ];
  const stated = links.find(({ seq }) => seq === said.seq);
  return stated === undefined || stated.hash === said.hash ? [] : [edited(stated, place)];
}

const endOf = (links: readonly Placed[], before: ChainPosition): ChainPosition & Partial<Placed> =>
  inOrder(links).at(-1) ?? before;

const named = ({
  seq,
  line,
  decisionId,
}: Placed): Pick<Finding, 'seq' | 'line' | 'decision_id'> => ({
  seq,
  line,
  ...(decisionId !== undefined && { decision_id: decisionId }),
});

/** The links of a segment in the order of their numbers, each once. */
const inOrder = (links: readonly Placed[]): readonly Placed[] =>
  [...new Map(links.map((link) => [link.seq, link])).values()].sort((a, b) => a.seq - b.seq);

const gap = (from: number, to: number, place: Place): Finding => ({
  ...place,
  kind: 'removed',
  seq: from,
  last_seq: to,
  about: from === to ? `record ${from} is missing` : `records ${from} to ${to} are missing`,
});

const edited = (link: Placed, place: Place): Finding => ({
  ...place,
  kind: 'edited',
  ...named(link),
  about: 'the record is not the one that was written',
});
