import { configDriveOf } from '../domain/config-drive.js';
import { type PlacedNode } from '../ports/machines.js';
import { instanceInfoOf } from './build.js';
import { hasFailed, isActive } from './node-states.js';
import {
  ended,
  endedInError,
  goOn,
  isLate,
  powerStateOf,
  refusalOf,
  reverted,
  type Step,
  type StepContext,
  type StepResult,
  WAIT,
} from './step.js';

/** Deploys the server's image anew on the node that it has. */
export const rebuildStep: Step = async (context) => {
  const { server, task, placement, limits } = context;
  const { node } = placement;
  if (isLate(context, limits.build))
    return endedInError(context, `Rebuild of instance ${server.uuid} took too long.`);
  if (node === null) return endedInError(context, `Instance ${server.uuid} has lost its node.`);
  if (task.step !== 'ordered') return order(context, node);
  if (isActive(node)) return whenActive(context, node);
  return hasFailed(node)
    ? endedInError(context, `Failed to rebuild instance ${server.uuid}.`)
    : WAIT;
};

/**
 * The node looks the same before and after a rebuild. Its `provision_updated_at`, recorded before, and the step, recorded after,
 * reveal whether it was ordered.
 */
async function order(context: StepContext, node: PlacedNode): Promise<StepResult> {
  const { server, task, store, nodes, callContext } = context;
  if (task.step === 'begin')
    return goOn(context, { step: 'ordering', seen: node.provision_updated_at });
  if (node.provision_updated_at !== task.seen) return goOn(context, { step: 'ordered' });
  if (node.reserved) return WAIT;
  await store.writeInstance(server.uuid, instanceInfoOf(context, node), callContext);
  const rebuild = { target: 'rebuild', configdrive: configDriveOf(server) } as const;
  const refusal = await refusalOf(() => nodes.provision(node, rebuild, callContext));
  return refusal === undefined
    ? goOn(context, { step: 'ordered' })
    : reverted(context, `Failed to rebuild instance ${server.uuid}: ${refusal}`);
}

function whenActive(context: StepContext, node: PlacedNode): StepResult {
  const { task, now } = context;
  const done = {
    vm_state: 'active',
    power_state: powerStateOf(node.power_state),
    fault: null,
  } as const;
  // As in Nova: a server that was off is off afterwards.
  if (task.arguments.stop_after !== true) return ended(done);
  return goOn(
    context,
    { kind: 'stop', step: 'begin', since: now.toISOString(), worked_seconds: 0, arguments: {} },
    { ...done, task_state: 'powering-off' },
  );
}
