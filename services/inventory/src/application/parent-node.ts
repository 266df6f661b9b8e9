import {
  BadRequestError,
  ConflictError,
  type ContextClaims,
  type NodeRecord,
  type PolicyFilter,
} from '@tenure/contracts';
import { isLinkable } from '../domain/visibility.js';
import { type NodeStore } from '../ports/stores.js';
import { allWhere } from './all-where.js';
import { nodeNamed } from './find-node.js';

/**
 * The node that a filter or a body names by uuid or name, if it exists and the caller may see it.
 * @param filter of a list, or of a decision with linkable resources
 */
export async function findLinkable(
  nodes: NodeStore,
  ident: string,
  filter: PolicyFilter,
): Promise<NodeRecord | undefined> {
  const node = await nodeNamed({ nodes }, ident);
  return node !== undefined && isLinkable(node, filter) ? node : undefined;
}

/** Whether a node has children; reads at most one. */
export const hasChildren = async (nodes: NodeStore, uuid: string): Promise<boolean> =>
  (await nodes.list({ ...allWhere({ field: 'parent_node', op: 'eq', value: uuid }), limit: 1 }))
    .length > 0;

/**
 * The uuid of the node that `node` names as its parent: one that the caller may see, of the same owner, and neither the
 * node itself nor at the other end of another such link. Every refusal has the same message, so that it reveals nothing
 * about nodes that the caller may not see.
 * @throws BadRequestError
 */
export async function linkedParent(
  nodes: NodeStore,
  node: NodeRecord,
  { obligations }: Pick<ContextClaims, 'obligations'>,
): Promise<string | null> {
  const ident = node.parent_node;
  if (typeof ident !== 'string') return null;
  const parent = await findLinkable(nodes, ident, obligations.filter);
  if (
    parent === undefined ||
    parent.uuid === node.uuid ||
    parent.owner !== node.owner ||
    parent.parent_node !== null ||
    (await hasChildren(nodes, node.uuid))
  )
    throw new BadRequestError(`Node ${ident.slice(0, 255)} cannot be the parent of this node.`);
  return parent.uuid;
}

/**
 * A link joins nodes of one owner, and shows each the uuid of the other: a node that has one changes its owner only
 * together with it, or without it.
 * @param node as it would be with the new owner
 * @throws ConflictError `node_linked`
 */
export async function assertNoFamily(nodes: NodeStore, node: NodeRecord): Promise<void> {
  const parent = node.parent_node;
  const hasForeignParent =
    typeof parent === 'string' && (await nodes.findBy('uuid', parent))?.owner !== node.owner;
  if (hasForeignParent || (await hasChildren(nodes, node.uuid)))
    throw new ConflictError(
      'node_linked',
      `Cannot change owner of node ${node.uuid}: it is the parent or a child of another node; remove that link first.`,
    );
}
