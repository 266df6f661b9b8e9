import { NotFoundError, type PolicyFilter } from '@tenure/contracts';
import { findLinkable } from '../application/parent-node.js';
import { type NodeStore } from '../ports/stores.js';
import { type Lookup } from './list-filters.js';

/**
 * The filter by a node, given by name or uuid. A node that is missing and one that the caller may not see are the same 404.
 * @param field where a record has the uuid of that node
 */
export const nodeLookup =
  (nodes: NodeStore, filter: PolicyFilter, field: 'node_uuid' | 'parent_node'): Lookup =>
  async (ident) => {
    const node = await findLinkable(nodes, ident, filter);
    if (node === undefined) throw NotFoundError.of('Node', ident);
    return { where: [{ field, op: 'eq', value: node.uuid }] };
  };
