import { type PlacedNode } from '../ports/machines.js';

const FAILED: ReadonlySet<string> = new Set([
  'deploy failed',
  'error',
  'rescue failed',
  'unrescue failed',
  'service failed',
]);
const UNDEPLOYED: ReadonlySet<string> = new Set([
  'available',
  'manageable',
  'enroll',
  'inspect failed',
  'clean failed',
]);
const TORN_DOWN_FROM: ReadonlySet<string> = new Set([
  'active',
  'wait call-back',
  'rescue',
  'rescue wait',
  ...FAILED,
]);

/** Work on the node ended badly. */
export const hasFailed = ({ provision_state: state }: PlacedNode): boolean => FAILED.has(state);

/** Nothing is deployed on it. */
export const isUndeployed = ({ provision_state: state }: PlacedNode): boolean =>
  UNDEPLOYED.has(state);

/** A conductor takes the order to tear it down. */
export const canBeTornDown = ({ provision_state: state }: PlacedNode): boolean =>
  TORN_DOWN_FROM.has(state);

/** The deployed instance runs, and the node is not reserved. */
export const isActive = ({ provision_state: state, reserved }: PlacedNode): boolean =>
  state === 'active' && !reserved;
