import { type NodeRecord } from '@tenure/contracts';
import { contextOf } from '@tenure/http';
import { callContextOf, newCallContext } from '@tenure/signed-context';
import { type Request, Router } from 'express';
import { type AgentWork } from '../application/agent-work.js';
import { unlessRefused } from '../domain/refused.js';
import { type InventoryPort } from '../ports/inventory-port.js';
import { agentOfFindings, lookupOf, tokenOfHeartbeat } from './agent-routes.js';
import { nodeRequestOf } from './request-node.js';
import {
  type RequestedNode,
  createServing,
  type FindRequestedNode,
  type ServingOptions,
} from './serving.js';

export interface ServingRoutesOptions extends ServingOptions {
  readonly inventory: InventoryPort;
  readonly agents: Pick<AgentWork, 'nodeOfFindings' | 'nodeOfHeartbeat' | 'nodeOfLookup'>;
}

/**
 * Selects the requests that need a conductor of their node, and finds that node: all requests about one node, except those that
 * only read in ironic-inspector's API. Mounted before the routes themselves.
 */
export function servingRouter({ inventory, agents, ...options }: ServingRoutesOptions): Router {
  const served = createServing(options);
  const ofContext: FindRequestedNode = async (request) => {
    const { context, uuid } = nodeRequestOf(request);
    return { context, node: await inventory.getNode(context, uuid) };
  };
  const ofIdent: FindRequestedNode = async (request) => {
    const context = callContextOf(contextOf(request));
    return { context, node: await inventory.getNode(context, String(request.params['ident'])) };
  };
  const ofHeartbeat = (request: Request): Promise<RequestedNode | undefined> =>
    ofAgent(() =>
      agents.nodeOfHeartbeat(agentsContext(), {
        ident: String(request.params['ident']),
        token: tokenOfHeartbeat(request),
      }),
    );
  const router = Router({ caseSensitive: true });
  router.use('/v1/nodes', served(ofContext));
  router.post('/v1/introspection/:ident{/*rest}', served(ofIdent));
  router.post('/v1/heartbeat/:ident', served(ofHeartbeat));
  router.get(
    '/v1/lookup',
    served((request) => ofAgent(() => agents.nodeOfLookup(agentsContext(), lookupOf(request)))),
  );
  router.post(
    '/v1/continue_inspection',
    served((request) =>
      ofAgent(() => agents.nodeOfFindings(agentsContext(), agentOfFindings(request))),
    ),
  );
  return router;
}

/** The node of an agent that proves itself: every other request of this kind is refused here, with an error that reveals nothing. */
async function ofAgent(
  find: () => Promise<NodeRecord | undefined>,
): Promise<RequestedNode | undefined> {
  const node = await unlessRefused(find);
  return node === undefined ? undefined : { context: agentsContext(), node };
}

/** The context for a caller without a token, which must not learn anything about a node that it may not see. */
function agentsContext() {
  const context = newCallContext('tenure:conductor:serving');
  const fields = { masked: ['driver', 'conductor_group'], read_only: [] };
  return { ...context, obligations: { ...context.obligations, fields } };
}
