import { BadRequestError, type CallContext, type ContextClaims } from '@tenure/contracts';
import { contextOf } from '@tenure/http';
import { callContextOf } from '@tenure/signed-context';
import { type Request } from 'express';

/** A request about one node. */
export interface NodeRequest {
  readonly claims: ContextClaims;
  readonly context: CallContext;
  /** Of the node that was decided on, never of the ident in the path. */
  readonly uuid: string;
  /** How the caller named the node, for sentences and links. */
  readonly ident: string;
}

/** @throws BadRequestError when the context names no node */
export function nodeRequestOf(request: Request): NodeRequest {
  const claims = contextOf(request);
  const [resource] = claims.resources;
  if (resource?.type !== 'node') throw new BadRequestError('The request names no node.');
  const { uuid } = resource;
  const { ident } = request.params;
  const name = typeof ident === 'string' ? ident : uuid;
  return { claims, context: callContextOf(claims), uuid, ident: name };
}

/** The URL of the node, with the identifier that the caller used. */
export const nodeUrlOf = ({ claims, ident }: NodeRequest): string =>
  `${claims.public_base}/v1/nodes/${encodeURIComponent(ident)}`;

/** The body of a request that may leave it out. */
export const optionalBody = (request: Request): unknown => (request.body as unknown) ?? {}; // express types the body as any
