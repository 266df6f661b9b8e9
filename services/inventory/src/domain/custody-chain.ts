import {
  CustodyHead,
  type CustodyStamp,
  handoverDigest,
  type HandoverRecord,
  type HandoverStatement,
  matches,
  NO_HANDOVERS,
} from '@tenure/contracts';

/** Signs a statement about a handover. @returns a compact JWS */
type SignStatement = (statement: HandoverStatement) => string;

/**
 * The end of the chain of a node's completed handovers, which the node keeps in `custody.head`.
 * @throws Error when the stored value is malformed: a chain must not begin again behind a head that cannot be read
 */
export function custodyHeadOf(node: Readonly<Record<string, unknown>>): CustodyHead {
  const custody = node['custody'] ?? {};
  const head = typeof custody === 'object' && 'head' in custody ? custody.head : undefined;
  if (head === undefined || head === null) return NO_HANDOVERS;
  if (matches(CustodyHead, head)) return head;
  throw new Error('the custody head of the node is malformed');
}

/**
 * The number, link, digest and signature of a handover that completes.
 * @param sign with the custody key
 * @param record complete, but for these four
 * @param head where the chain of its node ends
 * @throws Error for a record that is not complete: what is signed must be final
 */
export function custodyStamp(
  sign: SignStatement,
  record: HandoverRecord,
  head: CustodyHead,
): CustodyStamp {
  const { uuid, node_uuid, status, completed_at } = record;
  if (status !== 'complete' || completed_at === null)
    throw new Error(`handover ${uuid} is not complete and cannot be signed`);
  const place = { number: head.count + 1, previous: head.digest };
  const digest = handoverDigest({ ...record, ...place });
  const signature = sign({ typ: 'handover', uuid, node_uuid, ...place, digest, completed_at });
  return { ...place, digest, signature };
}
