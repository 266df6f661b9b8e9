import { type KeyObject } from 'node:crypto';
import {
  type CustodyHead,
  handoverDigest,
  type HandoverRecord,
  HandoverStatement,
  SEALED_KEPT,
} from '@tenure/contracts';
import { readStatement } from './statements.js';

type CustodyFindingKind =
  | 'edited'
  | 'unsigned'
  | 'foreign_key'
  | 'moved'
  | 'duplicated'
  | 'reordered'
  | 'removed'
  | 'replaced'
  | 'truncated'
  | 'abandoned'
  | 'backdated';

/** A deviation of a node's handovers from what was written. */
export interface CustodyFinding {
  readonly kind: CustodyFindingKind;
  readonly node_uuid: string;
  /** Uuid of the record; null when it is not there. */
  readonly handover: string | null;
  /** Number of the record, or of the first of several; null when nothing says which. */
  readonly number: number | null;
  readonly about: string;
}

/** The stored handovers of one node. */
export interface CustodyChain {
  readonly nodeUuid: string;
  /** All of the node, in the order in which they were made. */
  readonly records: readonly HandoverRecord[];
  /** The last completed handover as recorded in the node itself; undefined when the node was deleted. */
  readonly head: CustodyHead | undefined;
  /** Uuid of the handover that the node still waits for. */
  readonly open: string | null;
}

export interface VerifiedCustody {
  readonly node_uuid: string;
  /** Completed handovers. */
  readonly completed: number;
  /** Handovers that are under way. */
  readonly open: number;
  readonly findings: readonly CustodyFinding[];
}

/** A completed record with the statement that its signature contains; undefined when none of the keys signed it. */
interface Link {
  readonly record: HandoverRecord;
  readonly signed: HandoverStatement | undefined;
  readonly number: number | null;
}

type About = (kind: CustodyFindingKind, about: string) => CustodyFinding;

const EDITED = 'the record is not the one that was written';

/**
 * Checks the handovers of one node: every record against its signature, its place in the chain, and the end of the chain
 * against what the node says.
 * @param keys public keys of which one must have signed a record
 */
export function verifyCustody(chain: CustodyChain, keys: readonly KeyObject[]): VerifiedCustody {
  const { nodeUuid, records } = chain;
  const links = records
    .filter(({ status }) => status === 'complete')
    .map((record) => linkOf(record, keys));
  // A record of another node has no place in this chain.
  const own = links.filter(({ signed }) => (signed?.node_uuid ?? nodeUuid) === nodeUuid);
  return {
    node_uuid: nodeUuid,
    completed: links.length,
    open: records.length - links.length,
    findings: [
      ...links.flatMap((link) => ofRecord(link, nodeUuid)),
      ...unsealed(own, chain),
      ...misplaced(own),
      ...followed(own, nodeUuid),
      ...againstHead(own, chain),
      ...abandoned(chain),
    ],
  };
}

function linkOf(record: HandoverRecord, keys: readonly KeyObject[]): Link {
  const signed =
    record.signature === null
      ? undefined
      : readStatement(HandoverStatement, record.signature, keys);
  return { record, signed, number: signed?.number ?? record.number };
}

/** Compares a record with its signature. */
function ofRecord(link: Link, nodeUuid: string): readonly CustodyFinding[] {
  const { record, signed } = link;
  if (signed === undefined) return ofUnsigned(link);
  const found = aboutRecord(link);
  if (signed.node_uuid !== nodeUuid || record.node_uuid !== nodeUuid)
    return [found('moved', `the record was written for node ${signed.node_uuid}`)];
  if (signed.uuid !== record.uuid)
    return [found('edited', `the signature is that of handover ${signed.uuid}`)];
  const digest = handoverDigest(record);
  return digest === signed.digest && digest === record.digest ? [] : [found('edited', EDITED)];
}

/** Records whose sealed values were removed too early, or that have values beside their digest. */
const unsealed = (links: readonly Link[], { head }: CustodyChain): readonly CustodyFinding[] =>
  links
    .filter(({ record: { sealed, sealed_digest: digest }, number }) => {
      if (digest === undefined) return false;
      const isLate = head !== undefined && (number ?? 0) > head.count - SEALED_KEPT;
      return isLate || Object.keys(sealed).length > 0;
    })
    .map((link) => aboutRecord(link)('edited', 'the sealed values are not those that were stored'));

/** Finds records out of order: each record is stored when its handover opens. */
function misplaced(links: readonly Link[]): readonly CustodyFinding[] {
  const seen = new Set<number>();
  let latest = -Infinity;
  return links.flatMap((link): readonly CustodyFinding[] => {
    const { number, record } = link;
    const isTwice = number !== null && seen.has(number);
    if (number !== null) seen.add(number);
    if (isTwice) return [aboutRecord(link)('duplicated', 'there are several with this number')];
    const opened = momentOf(record.opened_at);
    if (opened < latest)
      return [
        aboutRecord(link)('reordered', 'the record is stored after one that was opened later'),
      ];
    latest = opened;
    return [];
  });
}

/** Follows the chain from record to record. */
function followed(links: readonly Link[], nodeUuid: string): readonly CustodyFinding[] {
  let before: (Link & { readonly number: number }) | undefined;
  return inOrder(links).flatMap((link): readonly CustodyFinding[] => {
    const preceding = before;
    before = link;
    const expected = (preceding?.number ?? 0) + 1;
    const times = backdated(link, preceding);
    if (link.number > expected) return [missing(nodeUuid, expected, link.number - 1), ...times];
    const previous = link.signed === undefined ? link.record.previous : link.signed.previous;
    return previous === digestIn(preceding)
      ? times
      : [
          aboutRecord(link)('replaced', 'it follows another handover than the one that is there'),
          ...times,
        ];
  });
}

/** Whether the chain ends where the node says that it does. */
function againstHead(
  links: readonly Link[],
  { nodeUuid, head, open, records }: CustodyChain,
): readonly CustodyFinding[] {
  if (head === undefined) return [];
  const last = inOrder(links).at(-1);
  const end = last?.number ?? 0;
  const found = (kind: CustodyFindingKind, number: number, about: string): CustodyFinding => ({
    kind,
    node_uuid: nodeUuid,
    handover: last?.record.uuid ?? null,
    number,
    about,
  });
  if (end < head.count)
    return [
      found(
        'truncated',
        end + 1,
        `the record ends at handover ${end}, the node's last is ${head.count}`,
      ),
    ];
  const named = inOrder(links).find(({ number }) => number === head.count);
  if (digestIn(named) !== head.digest)
    return [found('replaced', head.count, 'the node names another record as its last handover')];
  // The record is signed and the node is not written yet: the completion will be resumed.
  return end === head.count || records.some(({ uuid }) => uuid === open)
    ? []
    : [
        found(
          'replaced',
          head.count + 1,
          `the node's last handover is ${head.count}, the record goes on`,
        ),
      ];
}

/** Open handovers of a node that waits for none: the node was released before they were complete. */
const abandoned = ({ nodeUuid, head, open, records }: CustodyChain): readonly CustodyFinding[] =>
  head === undefined || open !== null
    ? []
    : records
        // A record with a number was changed to look unfinished, and the chain reports it as missing.
        .filter(({ status, number }) => status !== 'complete' && number === null)
        .map(({ uuid, number }) => ({
          kind: 'abandoned',
          node_uuid: nodeUuid,
          handover: uuid,
          number,
          about: 'the handover is not complete, and the node does not wait for it',
        }));

/** Findings of a record that none of the keys signed. */
function ofUnsigned(link: Link): readonly CustodyFinding[] {
  const { record } = link;
  const found = aboutRecord(link);
  if (record.signature === null)
    return [found('unsigned', 'the record is complete and not signed')];
  const foreign = found('foreign_key', 'the record is not signed with a trusted key');
  return handoverDigest(record) === record.digest ? [foreign] : [foreign, found('edited', EDITED)];
}

const aboutRecord =
  ({ record: { uuid, node_uuid }, number }: Link): About =>
  (kind, about) => ({ kind, node_uuid, handover: uuid, number, about });

const momentOf = (text: string | null): number => (text === null ? NaN : Date.parse(text));

/** Those with a number in the order of their numbers, each once. */
const inOrder = (links: readonly Link[]): readonly (Link & { readonly number: number })[] =>
  [
    ...new Map(
      links.flatMap((link) =>
        link.number === null ? [] : [[link.number, { ...link, number: link.number }] as const],
      ),
    ).values(),
  ].sort((a, b) => a.number - b.number);

function backdated(link: Link, before: Link | undefined): readonly CustodyFinding[] {
  const { opened_at: opened, completed_at: completed } = link.record;
  const found = aboutRecord(link);
  if (momentOf(completed) < momentOf(opened))
    return [found('backdated', 'it was completed before it was opened')];
  return before !== undefined && momentOf(completed) < momentOf(before.record.completed_at)
    ? [found('backdated', 'it was completed before the one that it follows')]
    : [];
}

const missing = (nodeUuid: string, from: number, to: number): CustodyFinding => ({
  kind: 'removed',
  node_uuid: nodeUuid,
  handover: null,
  number: from,
  about: from === to ? `handover ${from} is missing` : `handovers ${from} to ${to} are missing`,
});

/** The digest that a later record or the node refers to. */
const digestIn = (link: Link | undefined): string | null =>
  link === undefined ? null : (link.signed?.digest ?? link.record.digest);
