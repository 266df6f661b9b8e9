import { type ContextClaims, type PolicyFilter } from '@tenure/contracts';
import { EVERYTHING } from '../domain/node-filter.js';
import { type OnBehalf } from '../ports/on-behalf.js';

/**
 * What the inventory is told of a request.
 * @param filter rows that may be read; everything where the decision was made on one resource, which `resources` binds
 */
export const behalfOf = (claims: ContextClaims, filter: PolicyFilter = EVERYTHING): OnBehalf => ({
  request_id: claims.request_id,
  subject: claims.subject,
  action: claims.action,
  api_version: claims.api_version,
  public_base: claims.public_base,
  resources: claims.resources,
  filter,
});

/** The minor of the negotiated microversion. */
export const minorOf = (claims: ContextClaims): number =>
  Number(claims.api_version.split('.')[1] ?? 0);
