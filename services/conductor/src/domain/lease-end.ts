import { type LeasePhase, type LeaseRecord, type NodeRecord } from '@tenure/contracts';
import { transitionOf } from './provision/transitions.js';

/** What is to be done next with a node whose lease is over. */
export type LeaseStep =
  /** Others work on the node, or it waits for something. */
  | { readonly kind: 'wait' }
  /** VIFs, virtual media and console, which need no state machine. */
  | { readonly kind: 'clear' }
  /** A verb of the state machine; `phase` is how far that brings it. */
  | { readonly kind: 'order'; readonly target: string; readonly phase: LeasePhase }
  /** It cannot go on by itself, but is looked at again. */
  | { readonly kind: 'failed'; readonly reason: string; readonly phase: LeasePhase }
  | { readonly kind: 'done' };

const WAIT: LeaseStep = { kind: 'wait' };
const DONE: LeaseStep = { kind: 'done' };
const order = (target: string, phase: LeasePhase): LeaseStep => ({ kind: 'order', target, phase });
// Torn down and cleaned anew, once somebody has seen to the machine.
const failed = (reason: string): LeaseStep => ({ kind: 'failed', reason, phase: 'cleared' });

const NOT_TORN_DOWN = 'The node could not be undeployed.';
const NOT_CLEANED = 'The node could not be cleaned.';

const FAILED_WITHOUT_INSTANCE: ReadonlySet<string> = new Set(['inspect failed', 'adopt failed']);

/** Of a node on which nothing is deployed. */
const wipe = ({ provision_state: state }: NodeRecord, phase: LeasePhase): LeaseStep => {
  if (state === 'clean failed') return failed(NOT_CLEANED);
  // Torn down is cleaned as well: the state machine does both.
  if (phase !== 'cleared' && (state === 'available' || state === 'manageable')) return DONE;
  if (state === 'available' || FAILED_WITHOUT_INSTANCE.has(state))
    return order('manage', 'cleared');
  return state === 'manageable' ? order('provide', 'cleaning') : WAIT;
};

/** Of a node on which something is deployed. */
const tearDown = (state: string, phase: LeasePhase): LeaseStep =>
  state === 'error' && phase === 'undeploying'
    ? failed(NOT_TORN_DOWN)
    : order('deleted', 'undeploying');

const RESTING: ReadonlySet<string> = new Set([
  ...FAILED_WITHOUT_INSTANCE,
  'available',
  'manageable',
  'enroll',
  'clean failed',
]);

/**
 * The next step from a lease that is over to a node that its owner has back as the lease says. Asked again after each, it
 * leads there from wherever a crash, or somebody else, left the node.
 */
export const nextStep = (
  node: NodeRecord,
  { on_end: end, phase }: Pick<LeaseRecord, 'on_end' | 'phase'>,
): LeaseStep => {
  const { provision_state: state } = node;
  if (node.reservation !== null) return WAIT;
  if (phase === null) return { kind: 'clear' };
  if (!end.undeploy || state === 'enroll') return DONE;
  if (transitionOf('delete', state) !== undefined) return tearDown(state, phase);
  // What the lessee put on hold would stay so for ever.
  if (state.endsWith(' hold')) return order('abort', phase);
  if (!RESTING.has(state)) return WAIT;
  return end.clean ? wipe(node, phase) : DONE;
};
