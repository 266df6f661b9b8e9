import { type NodeRecord } from '@tenure/contracts';
import { atLeaseEnd } from './custody.js';

/** Whether a moment, as `timestampOf` writes it, has come. */
export const isPast = (moment: string, now: string): boolean => moment <= now;

/** Whether the lessee that is stored is none any more: the end of its lease has come, and nobody wrote that down yet. */
export const isLesseeOver = (
  { lessee_until: until }: Pick<NodeRecord, 'lessee_until'>,
  now: string,
): boolean => typeof until === 'string' && isPast(until, now);

/**
 * The node as it is now, whoever wrote it when: from the end of its lease on it has no lessee, nothing that the lessee
 * wrote, an open handover and another tenancy. Whoever writes the node next writes just that. So a decision made before
 * the end is stale at the end itself.
 * @param now as `timestampOf` writes it
 */
export const nodeAt = (node: NodeRecord, now: string): NodeRecord =>
  isLesseeOver(node, now)
    ? {
        ...atLeaseEnd(node, node.lessee_until ?? now),
        tenancy_revision: node.tenancy_revision + 1,
      }
    : node;
