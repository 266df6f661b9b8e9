import { BadRequestError, type ContextClaims } from '@tenure/contracts';
import { type Request } from 'express';

/** The node a request is about: the one that was decided on, never the ident in the path. */
export const nodeUuidOf = (claims: ContextClaims): string => {
  const [resource] = claims.resources;
  if (resource?.type !== 'node') throw new BadRequestError('The request names no node.');
  return resource.uuid;
};

/** How the caller named the node, for sentences and links. */
export const identOf = (request: Request, claims: ContextClaims): string => {
  const ident = request.params['ident'];
  return typeof ident === 'string' ? ident : nodeUuidOf(claims);
};

/** The body of a request that may leave it out. */
export const optionalBody = (request: Request): unknown => (request.body as unknown) ?? {}; // express types the body as any
