import {
  type ContextClaims,
  type ContextResource,
  NO_OBLIGATIONS,
  NotFoundError,
} from '@tenure/contracts';
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

/** What another part is told that is asked about the node: what the policy demanded was of the server, and was met. */
export const behalfOnNode = (claims: ContextClaims): OnBehalf => ({
  ...behalfOf(claims),
  obligations: NO_OBLIGATIONS,
});

/** The server that the gateway decided on: never what the path says. @throws NotFoundError when there is none */
export const decidedServer = ({ resources: [resource] }: ContextClaims): ContextResource => {
  if (resource?.type !== 'server') throw new NotFoundError('Instance could not be found.');
  return resource;
};
