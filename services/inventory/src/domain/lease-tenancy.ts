import { type NodeRecord } from '@tenure/contracts';
import { atLeaseEnd } from './custody.js';

/** Whether a moment, as `timestampOf` writes it, has come. */
export const isPast = (moment: string, now: string): boolean => moment <= now;

/** Whether the lease of the stored lessee has ended, and no write has removed the lessee yet. */
export const isLesseeOver = (
  { lessee_until: until }: Pick<NodeRecord, 'lessee_until'>,
  now: string,
): boolean => typeof until === 'string' && isPast(until, now);

/**
 * The node at this moment, even before its next write. From the end of its lease on it has no lessee, none of the
 * lessee's values, an open handover and another tenancy. The next write stores exactly that. So a decision made before
 * the end is stale at the end itself.
 * @param now as `timestampOf` formats it
 */
export const nodeAt = (node: NodeRecord, now: string): NodeRecord =>
  isLesseeOver(node, now)
    ? {
        ...atLeaseEnd(node, node.lessee_until ?? now),
        tenancy_revision: node.tenancy_revision + 1,
      }
    : node;
