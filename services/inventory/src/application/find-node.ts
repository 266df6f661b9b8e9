import { isUuid, type NodeRecord, NotFoundError } from '@tenure/contracts';
import { type Stores } from '../ports/stores.js';

/** A node by its uuid or name, if there is one. */
export const nodeNamed = (
  { nodes }: Pick<Stores, 'nodes'>,
  ident: string,
): Promise<NodeRecord | undefined> =>
  isUuid(ident) ? nodes.findBy('uuid', ident.toLowerCase()) : nodes.findBy('name', ident);

/**
 * A node by its uuid or name.
 * @throws NotFoundError
 */
export async function findNode(stores: Pick<Stores, 'nodes'>, ident: string): Promise<NodeRecord> {
  const found = await nodeNamed(stores, ident);
  if (found === undefined) throw NotFoundError.of('Node', ident);
  return found;
}
