import { type NodeRecord } from '@tenure/contracts';
import { type Fields } from './members.js';

const POWER_FAULT = 'power failure';
const REASON = 'The power of the node could not be controlled, so it was put into maintenance.';

/** The fields that end a power fault. */
export const RECOVERED_FIELDS: Fields = {
  maintenance: false,
  maintenance_reason: null,
  fault: null,
};

/** The fields that put a node into maintenance after a power fault. @param sentence for `last_error` */
export const powerFaultFields = (sentence: string): Fields => ({
  maintenance: true,
  maintenance_reason: REASON,
  fault: POWER_FAULT,
  last_error: sentence,
});

/** True for maintenance that a conductor set because of the power, and that no person has made theirs since. */
export const isPowerFault = (node: NodeRecord): boolean =>
  node.maintenance && node.fault === POWER_FAULT && node.maintenance_reason === REASON;
