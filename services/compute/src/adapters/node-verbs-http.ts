import { AppError } from '@tenure/contracts';
import { type NodeVerbs, type PlacedNode } from '../ports/machines.js';
import { type OnBehalf } from '../ports/on-behalf.js';
import { type CallPart } from './part-call.js';

const about = ({ uuid, tenancy_revision }: PlacedNode, on: OnBehalf): OnBehalf => ({
  ...on,
  resources: [{ type: 'node', uuid, tenancy_revision }],
});

const pathOf = ({ uuid }: PlacedNode, below: string): string => `/v1/nodes/${uuid}/${below}`;

/** A VIF may be attached that is the project's own, or nobody's yet. */
const vifsOf = (project: string, on: OnBehalf): OnBehalf => ({
  ...on,
  obligations: {
    ...on.obligations,
    filter: { mode: 'any_of', predicates: [{ field: 'project_id', op: 'eq', value: project }] },
  },
});

/** The conductor's verbs (docs/contracts.md, "Who serves what"). */
export const nodeVerbsHttp = (call: CallPart): NodeVerbs => ({
  provision: async (node, order, on) => {
    const target = pathOf(node, 'states/provision');
    await call({ method: 'PUT', target, body: order, on: about(node, on) });
  },
  power: async (node, order, on) => {
    const target = pathOf(node, 'states/power');
    await call({ method: 'PUT', target, body: order, on: about(node, on) });
  },
  attach: async (node, { id, project }, on) => {
    const target = pathOf(node, 'vifs');
    await call({ method: 'POST', target, body: { id }, on: vifsOf(project, about(node, on)) });
  },
  detach: async (node, vif, on) => {
    const target = pathOf(node, `vifs/${encodeURIComponent(vif)}`);
    try {
      await call({ method: 'DELETE', target, on: about(node, on) });
    } catch (error) {
      // It is not attached (any more).
      if (!(error instanceof AppError && error.status === 400)) throw error;
    }
  },
  injectNmi: async (node, on) => {
    const target = pathOf(node, 'management/inject_nmi');
    await call({ method: 'PUT', target, body: {}, on: about(node, on) });
  },
});
