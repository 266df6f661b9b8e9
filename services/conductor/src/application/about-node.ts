import { type CallContext, type NodeRecord } from '@tenure/contracts';

/** The same context, about the node as it is known now. */
export const aboutNode = (context: CallContext, node: NodeRecord): CallContext => ({
  ...context,
  resources: [{ type: 'node', uuid: node.uuid, tenancy_revision: node.tenancy_revision }],
});
