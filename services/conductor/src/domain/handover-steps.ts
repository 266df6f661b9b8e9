import {
  type HandoverPhase,
  type HandoverRecord,
  type NodeRecord,
  wasCleaned,
} from '@tenure/contracts';
import { transitionOf } from './provision/transitions.js';

type Phase = NonNullable<HandoverPhase>;

/** The next step of a node's handover. */
export type NextStep =
  /** Others work on the node, or it waits for something. */
  | { readonly kind: 'wait' }
  /** Power, media, VIFs, console and settings, which need no state machine. */
  | { readonly kind: 'clear' }
  /** A verb of the state machine; `phase` is how far that brings it. */
  | { readonly kind: 'order'; readonly target: string; readonly phase: Phase }
  /** It cannot go on by itself, but is looked at again. */
  | {
      readonly kind: 'failed';
      readonly step: 'undeploy' | 'clean';
      readonly reason: string;
      readonly phase: Phase;
    }
  | { readonly kind: 'done' };

const WAIT: NextStep = { kind: 'wait' };
const DONE: NextStep = { kind: 'done' };

// Torn down and cleaned again, once an operator has repaired the machine.
const NOT_TORN_DOWN: NextStep = {
  kind: 'failed',
  step: 'undeploy',
  reason: 'The node could not be undeployed.',
  phase: 'cleared',
};
const NOT_CLEANED: NextStep = {
  kind: 'failed',
  step: 'clean',
  reason: 'The node could not be cleaned.',
  phase: 'cleared',
};

const FAILED_WITHOUT_INSTANCE: ReadonlySet<string> = new Set(['inspect failed', 'adopt failed']);

const RESTING: ReadonlySet<string> = new Set([
  ...FAILED_WITHOUT_INSTANCE,
  'available',
  'manageable',
  'enroll',
  'verify failed',
  'clean failed',
]);

/**
 * The next step of a handover. Called again after each step, it leads to the end of the handover from any state in which a
 * crash, or another caller, left the node.
 */
export function nextStep(
  node: NodeRecord,
  record: Pick<HandoverRecord, 'plan' | 'phase' | 'steps'>,
): NextStep {
  const { plan, phase } = record;
  const { provision_state: state } = node;
  if (node.reservation !== null || isAtWork(state)) return WAIT;
  if (phase === null) return { kind: 'clear' };
  if (!plan.undeploy || state === 'enroll' || state === 'verify failed') return DONE;
  if (isDeployed(state)) return tearDown(state, phase);
  // A node that the tenant put on hold would never leave it.
  if (isOnHold(state)) return order('abort', phase);
  return plan.clean ? wipe(node, phase, record) : DONE;
}

/** Whether the state machine is at work on the node: clearing waits until that has ended. */
const isAtWork = (state: string): boolean =>
  !RESTING.has(state) && !isDeployed(state) && !isOnHold(state);

const isDeployed = (state: string): boolean => transitionOf('delete', state) !== undefined;

/** Of a node on which something is deployed. */
const tearDown = (state: string, phase: Phase): NextStep =>
  state === 'error' && phase === 'undeploying' ? NOT_TORN_DOWN : order('deleted', 'undeploying');

const isOnHold = (state: string): boolean => state.endsWith(' hold');

const order = (target: string, phase: Phase): NextStep => ({ kind: 'order', target, phase });

/** Of a node on which nothing is deployed. */
function wipe(
  { provision_state: state }: NodeRecord,
  phase: Phase,
  record: Pick<HandoverRecord, 'steps'>,
): NextStep {
  if (state === 'clean failed') return NOT_CLEANED;
  const isAtRest = state === 'available' || state === 'manageable';
  // The state machine cleans a node after the teardown. The state alone does not prove that cleaning succeeded: the owner may
  // have moved the node there after a failure.
  if (phase !== 'cleared' && isAtRest && wasCleaned(record)) return DONE;
  if (state === 'available' || FAILED_WITHOUT_INSTANCE.has(state))
    return order('manage', 'cleared');
  return state === 'manageable' ? order('provide', 'cleaning') : WAIT;
}
