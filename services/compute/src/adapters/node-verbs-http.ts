import { AppError, type CallContext } from '@tenure/contracts';
import { type ServiceClient } from '@tenure/http';
import { type NodeVerbs, type PlacedNode } from '../ports/machines.js';

/** The conductor's verbs (docs/contracts/README.md). */
export const nodeVerbsHttp = (client: ServiceClient): NodeVerbs => ({
  provision: async (node, order, context) => {
    const target = pathOf(node, 'states/provision');
    await client.call({ method: 'PUT', target, body: order, context: about(node, context) });
  },
  power: async (node, order, context) => {
    const target = pathOf(node, 'states/power');
    await client.call({ method: 'PUT', target, body: order, context: about(node, context) });
  },
  attach: async (node, { id, project }, context) => {
    const target = pathOf(node, 'vifs');
    await client.call({
      method: 'POST',
      target,
      body: { id },
      context: vifsOf(project, about(node, context)),
    });
  },
  detach: async (node, vif, context) => {
    const target = pathOf(node, `vifs/${encodeURIComponent(vif)}`);
    try {
      await client.call({ method: 'DELETE', target, context: about(node, context) });
    } catch (error) {
      // It is not attached (any more).
      if (!(error instanceof AppError && error.status === 400)) throw error;
    }
  },
  injectNmi: async (node, context) => {
    const target = pathOf(node, 'management/inject_nmi');
    await client.call({ method: 'PUT', target, body: {}, context: about(node, context) });
  },
});

const pathOf = ({ uuid }: PlacedNode, below: string): string => `/v1/nodes/${uuid}/${below}`;

const about = ({ uuid, tenancy_revision }: PlacedNode, context: CallContext): CallContext => ({
  ...context,
  resources: [{ type: 'node', uuid, tenancy_revision }],
});

/** A VIF may be attached that belongs to the project, or to none yet. */
const vifsOf = (project: string, context: CallContext): CallContext => ({
  ...context,
  obligations: {
    ...context.obligations,
    filter: { mode: 'any_of', predicates: [{ field: 'project_id', op: 'eq', value: project }] },
  },
});
