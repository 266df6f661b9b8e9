import { type ContextClaims } from '@tenure/contracts';
import { EVERYTHING } from '../domain/node-filter.js';
import { type OnBehalf } from '../ports/on-behalf.js';

/** What the inventory is told of a request, with everything that the policy demanded of it. */
export const behalfOf = (claims: ContextClaims): OnBehalf => ({
  request_id: claims.request_id,
  decision_id: claims.decision_id,
  subject: claims.subject,
  action: claims.action,
  api_version: claims.api_version,
  public_base: claims.public_base,
  resources: claims.resources,
  obligations: claims.obligations,
});

/** The same for a decision on one resource, which `resources` binds: no rows were filtered, so its filter says `none`. */
export const behalfOnResource = (claims: ContextClaims): OnBehalf => ({
  ...behalfOf(claims),
  obligations: { ...claims.obligations, filter: EVERYTHING },
});
