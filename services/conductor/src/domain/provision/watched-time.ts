import { type NodeRecord } from '@tenure/contracts';
import { type Fields, membersOf } from '../members.js';

/** Member of `driver_internal_info` that stores how long a conductor has watched the node in its present state. */
export const WATCHED = 'watched_wait';

/**
 * Identifies one stay in a state. The time is only compared for equality, so wrong clocks do no harm.
 */
export const stayOf = ({
  provision_state: state,
  provision_updated_at: since,
}: NodeRecord): string => `${state} since ${typeof since === 'string' ? since : 'always'}`;

/** Milliseconds that were watched of the present stay, as recorded in the node; 0 when none are. */
export function recordedWatch(node: NodeRecord): number {
  const { stay, ms } = membersOf(node.driver_internal_info[WATCHED]);
  return stay === stayOf(node) && typeof ms === 'number' && Number.isSafeInteger(ms) ? ms : 0;
}

/** The fields that record how long a stay was watched. */
export const watchedFields = (node: NodeRecord, ms: number): Fields => ({
  driver_internal_info: {
    ...node.driver_internal_info,
    [WATCHED]: { stay: stayOf(node), ms: Math.floor(ms) },
  },
});
