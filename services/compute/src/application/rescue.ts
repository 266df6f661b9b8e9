import { type PlacedNode, type ProvisionOrder } from '../ports/machines.js';
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

interface Way {
  readonly verb: 'rescue' | 'unrescue';
  readonly isThere: (node: PlacedNode) => boolean;
  /** States of a node that takes the order. */
  readonly from: readonly string[];
  readonly vmState: 'rescued' | 'active';
}

const orderOf = ({ verb }: Way, { task }: StepContext): ProvisionOrder =>
  verb === 'rescue'
    ? { target: verb, rescue_password: task.arguments.admin_pass ?? '' }
    : { target: verb };

const along =
  (way: Way): Step =>
  async (context) => {
    const { server, placement, limits } = context;
    const { node } = placement;
    const failure = `Failed to ${way.verb} instance ${server.uuid}.`;
    if (isLate(context, limits.build)) return endedInError(context, failure);
    if (node === null) return endedInError(context, `Instance ${server.uuid} has lost its node.`);
    if (way.isThere(node))
      return ended({
        vm_state: way.vmState,
        power_state: powerStateOf(node.power_state),
        fault: null,
      });
    if (way.from.includes(node.provision_state)) return give(way, context, node);
    return hasFailed(node) ? endedInError(context, failure) : WAIT;
  };

/** Boots the machine into a rescue system, which its deploy agent is. */
export const rescueStep: Step = along({
  verb: 'rescue',
  isThere: ({ provision_state: state, reserved }) => state === 'rescue' && !reserved,
  from: ['active'],
  vmState: 'rescued',
});

/** Boots what is deployed again. */
export const unrescueStep: Step = along({
  verb: 'unrescue',
  isThere: isActive,
  from: ['rescue'],
  vmState: 'active',
});

async function give(way: Way, context: StepContext, node: PlacedNode): Promise<StepResult> {
  const { server, task, nodes, callContext } = context;
  const failure = `Failed to ${way.verb} instance ${server.uuid}`;
  if (node.reserved) return WAIT;
  // It was ordered, and the node is back where it was.
  if (task.step === 'ordered') return reverted(context, `${failure}.`);
  const refusal = await refusalOf(() => nodes.provision(node, orderOf(way, context), callContext));
  return refusal === undefined
    ? goOn(context, { step: 'ordered' })
    : reverted(context, `${failure}: ${refusal}`);
}
