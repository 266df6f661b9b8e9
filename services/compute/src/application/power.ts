import { type PlacedNode, type PowerOrder } from '../ports/machines.js';
import {
  ended,
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

/** The stored name of the step in which the operating system was requested to shut down or reboot. */
const SOFT = 'asked';

const isMoving = ({ reserved, target_power_state: target }: PlacedNode): boolean =>
  reserved || target !== null;

type PowerStep = (context: StepContext, node: PlacedNode) => Promise<StepResult> | StepResult;

/** The common part of the power steps: a time limit, and a node whose power is not changing. */
const powerStep =
  (verb: string, step: PowerStep): Step =>
  async (context) => {
    const { server, placement, limits } = context;
    const { node } = placement;
    if (isLate(context, limits.power))
      return reverted(context, `Failed to ${verb} instance ${server.uuid} in time.`);
    if (node === null) return reverted(context, `Instance ${server.uuid} has lost its node.`);
    return isMoving(node) ? WAIT : step(context, node);
  };

const failed = (verb: string, context: StepContext, why = ''): StepResult =>
  reverted(context, `Failed to ${verb} instance ${context.server.uuid}.${why && ` ${why}`}`);

const isOn = ({ power_state: state }: PlacedNode): boolean => state === 'power on';
const isOff = ({ power_state: state }: PlacedNode): boolean => state === 'power off';

export const startStep: Step = powerStep('start', (context, node) => {
  if (isOn(node)) return ended({ vm_state: 'active', power_state: 1 });
  if (context.task.step === 'ordered') return failed('start', context);
  const wanted = { power: { target: 'power on' }, step: 'ordered' } as const;
  return order(context, node, wanted, (why) => failed('start', context, why));
});

/** Orders a soft power off first; a machine that does not shut down is powered off. */
export const stopStep: Step = powerStep('stop', (context, node) => {
  const { step } = context.task;
  if (isOff(node)) return ended({ vm_state: 'stopped', power_state: 4 });
  if (step === 'ordered') return failed('stop', context);
  if (step === 'begin') {
    const { shutdown } = context.limits;
    const power = { target: 'soft power off', timeout: shutdown } as const;
    return order(context, node, { power, step: SOFT }, () => goOn(context, { step: SOFT }));
  }
  const wanted = { power: { target: 'power off' }, step: 'ordered' } as const;
  return order(context, node, wanted, (why) => failed('stop', context, why));
});

const rebooted = (context: StepContext, node: PlacedNode): StepResult =>
  isOn(node)
    ? ended({ vm_state: 'active', power_state: powerStateOf(node.power_state) })
    : failed('reboot', context);

/**
 * A crash between the order and its record makes a machine reboot twice at worst. A soft reboot that fails, and leaves its
 * reason on the node, becomes a hard one.
 */
export const rebootStep: Step = powerStep('reboot', (context, node) => {
  const { task, limits } = context;
  if (task.step === 'ordered') return rebooted(context, node);
  if (task.step === SOFT && node.last_error === null) return rebooted(context, node);
  if (task.step === 'begin' && task.arguments.soft === true) {
    const power = { target: 'soft rebooting', timeout: limits.shutdown } as const;
    return order(context, node, { power, step: SOFT }, () => goOn(context, { step: 'refused' }));
  }
  const wanted = { power: { target: 'rebooting' }, step: 'ordered' } as const;
  return order(context, node, wanted, (why) => failed('reboot', context, why));
});

/** Orders a power change and records that. A refusal is passed to `onRefusal`. */
async function order(
  context: StepContext,
  node: PlacedNode,
  { power, step }: { readonly power: PowerOrder; readonly step: string },
  onRefusal: (why: string) => StepResult,
): Promise<StepResult> {
  const refusal = await refusalOf(() => context.nodes.power(node, power, context.callContext));
  return refusal === undefined ? goOn(context, { step }) : onRefusal(refusal);
}
