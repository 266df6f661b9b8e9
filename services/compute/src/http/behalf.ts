import { type ContextClaims, type ContextResource, NotFoundError } from '@tenure/contracts';
import { type OnBehalf } from '../ports/on-behalf.js';

/** What the inventory is told of a request, with everything that the policy demanded of it. */
export const behalfOf = (claims: ContextClaims): OnBehalf => ({
  request_id: claims.request_id,
  subject: claims.subject,
  action: claims.action,
  public_base: claims.public_base,
  resources: claims.resources,
  obligations: claims.obligations,
});

/** The server that the gateway decided on: never what the path says. @throws NotFoundError when there is none */
export const decidedServer = ({ resources: [resource] }: ContextClaims): ContextResource => {
  if (resource?.type !== 'server') throw new NotFoundError('Instance could not be found.');
  return resource;
};
