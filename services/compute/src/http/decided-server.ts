import {
  type CallContext,
  type ContextClaims,
  type ContextResource,
  formatMicroversion,
  MAX_MICROVERSION,
  NO_OBLIGATIONS,
  NotFoundError,
} from '@tenure/contracts';
import { callContextOf } from '@tenure/signed-context';

/**
 * The context of a call about the server's node. The request's own version is of the compute API, and what the policy
 * demanded was about the server, and was met.
 */
export const contextOnNode = (claims: ContextClaims): CallContext => ({
  ...callContextOf(claims),
  api_version: formatMicroversion(MAX_MICROVERSION),
  obligations: NO_OBLIGATIONS,
});

/** The server that the gateway decided on, not the one in the path. @throws NotFoundError when there is none */
export function decidedServer({ resources: [resource] }: ContextClaims): ContextResource {
  if (resource?.type !== 'server') throw new NotFoundError('Instance could not be found.');
  return resource;
}
