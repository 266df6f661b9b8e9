import { type CallContext, type NodeRecord } from '@tenure/contracts';

/** The same context, with the node's current owner, lessee and revisions as the conductor last read them. */
export const aboutNode = (context: CallContext, node: NodeRecord): CallContext => ({
  ...context,
  resources: [{ type: 'node', uuid: node.uuid, tenancy_revision: node.tenancy_revision }],
});
