import { type PlacedNode } from '../ports/machines.js';
import { canBeTornDown, isUndeployed } from './node-states.js';
import {
  AGAIN,
  endedInError,
  REMOVED,
  isLate,
  type Step,
  type StepContext,
  type StepResult,
  WAIT,
} from './step.js';

/**
 * Releases the resources of a server, in an order in which the rest can always be found: its VIFs, then its deployment, and
 * with that the node and the allocation. `removed` when nothing is left.
 */
export function release(context: StepContext): Promise<StepResult> {
  const { node } = context.placement;
  return node === null ? releaseAllocation(context) : releaseNode(context, node);
}

/** Deletes a server. A server that cannot be torn down in time is in error, and can be deleted again. */
export const removeStep: Step = async (context) =>
  isLate(context, context.limits.remove)
    ? endedInError(context, 'The server could not be deleted in time.')
    : release(context);

async function releaseAllocation({
  server,
  placement: { allocation },
  allocations,
  callContext,
}: StepContext): Promise<StepResult> {
  if (allocation === null) return REMOVED;
  await allocations.release(server.uuid, allocation, callContext);
  return AGAIN;
}

async function releaseNode(context: StepContext, node: PlacedNode): Promise<StepResult> {
  const { nodes, callContext } = context;
  if (node.reserved) return WAIT;
  const isDeployed = canBeTornDown(node);
  if (!isDeployed && !isUndeployed(node)) return WAIT;
  const [vif] = node.vifs;
  if (vif !== undefined) {
    await nodes.detach(node, vif.id, callContext);
    return AGAIN;
  }
  if (!isDeployed) return releaseAllocation(context);
  await nodes.provision(node, { target: 'deleted' }, callContext);
  return WAIT;
}
