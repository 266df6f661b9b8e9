import {
  type ContextClaims,
  type NodeRecord,
  NotFoundError,
  UnauthorizedError,
} from '@tenure/contracts';
import { contextOf } from '@tenure/http';
import { type Request } from 'express';
import { assertCurrent } from '../application/change-node.js';
import { type Stores } from '../ports/stores.js';
import { pathPart } from './internal-query.js';

/**
 * The one node that a context speaks of; never the ident in the path.
 * @throws UnauthorizedError when the context names none
 */
export function namedUuid({ resources }: ContextClaims): string {
  const [resource] = resources;
  if (resource?.type !== 'node') throw new UnauthorizedError('The signed context names no node.');
  return resource.uuid;
}

/**
 * The node that the request is about, as the decision saw it.
 * @throws NotFoundError, TenancyChangedError, UnauthorizedError
 */
export async function findNamed(
  { nodes }: Pick<Stores, 'nodes'>,
  request: Request,
): Promise<NodeRecord> {
  const context = contextOf(request);
  const node = await nodes.findBy('uuid', namedUuid(context));
  if (node === undefined) throw NotFoundError.of('Node', pathPart(request, 'ident'));
  assertCurrent(node, context);
  return node;
}
