import { randomUUID } from 'node:crypto';
import {
  type ContextClaims,
  formatMicroversion,
  MAX_MICROVERSION,
  NO_OBLIGATIONS,
  type NodeRecord,
} from '@tenure/contracts';
import { type Behalf } from '../ports/inventory-port.js';

/** The caller's statement, passed on to the inventory so that it can refuse a decision that has become stale. */
export const behalfOf = (claims: ContextClaims): Behalf => ({
  request_id: claims.request_id,
  subject: claims.subject,
  action: claims.action,
  decision_id: claims.decision_id,
  api_version: claims.api_version,
  public_base: claims.public_base,
  resources: claims.resources,
  obligations: claims.obligations,
});

/** The conductor for itself: heartbeat, power sync, recovery. */
export const ownBehalf = (action: string): Behalf => ({
  request_id: `req-${randomUUID()}`,
  subject: null,
  action,
  decision_id: null,
  api_version: formatMicroversion(MAX_MICROVERSION),
  public_base: '',
  resources: [],
  obligations: NO_OBLIGATIONS,
});

/** The same statement, about the node as it is known now. */
export const aboutNode = (behalf: Behalf, node: NodeRecord): Behalf => ({
  ...behalf,
  resources: [{ type: 'node', uuid: node.uuid, tenancy_revision: node.tenancy_revision }],
});
