import { isTenancyId, type NodeRecord, timestampOf } from '@tenure/contracts';
import { withoutAgent } from '../agent.js';
import { type Fields, membersOf, without } from '../members.js';
import { type ProvisionOrder } from './order.js';
import {
  PENDING_PROVISION,
  type PendingProvision,
  pendingProvisionOf,
  toPendingRecord,
  withPendingProvision,
} from './pending.js';
import { type BusyState, failedStateOf, timedOutStateOf } from './states.js';
import { noStep, STEP_MEMBERS } from './step-progress.js';
import { type Transition } from './transitions.js';
import { WATCHED } from './watched-time.js';

export type { Fields } from '../members.js';

/** The results of a driver's work: fields of the node, and members of its `driver_internal_info`. */
export interface WorkResult {
  readonly set?: Fields;
  readonly internal?: Fields;
}

const AUTOMATIC_LESSEE = 'automatic_lessee';

const HASHED_PASSWORD = 'hashed_rescue_password';

const ABORTED = 'was aborted by request';

const FAILURES: Readonly<Record<BusyState, string>> = {
  verifying: 'Failed to verify the power credentials',
  inspecting: 'Failed to inspect hardware',
  cleaning: 'Failed to clean the node',
  deploying: 'Failed to deploy',
  deleting: 'Failed to tear down',
  adopting: 'Failed to adopt the node',
  rescuing: 'Failed to rescue the node',
  unrescuing: 'Failed to unrescue the node',
  servicing: 'Failed to service the node',
};

/** The lessee of the node once an order is accepted. */
export const lesseeWith = (node: NodeRecord, order: ProvisionOrder): string | null =>
  (order.event === 'deploy' || order.event === 'rebuild'
    ? automaticLessee(node, order)
    : undefined) ?? node.lessee;

export function hashedRescuePassword(node: NodeRecord): string | undefined {
  const hash = node.instance_info[HASHED_PASSWORD];
  return typeof hash === 'string' && hash !== '' ? hash : undefined;
}

/** The fields that persist an order before it is acknowledged: the state that it leads to, and the data to resume it. */
export function startFields(
  node: NodeRecord,
  order: ProvisionOrder,
  { enters, target }: Pick<Transition & { readonly kind: 'work' }, 'enters' | 'target'>,
  now: Date,
): Fields {
  const { set, internal } = startOf(node, order, now);
  const onHold = order.event === 'unhold' ? pendingProvisionOf(node) : undefined;
  const pending = onHold ?? {
    event: order.event ?? '',
    steps: order.steps,
    stepsDone: 0,
    byTenant: order.byTenant === true,
    disableRamdisk: order.disableRamdisk,
  };
  return {
    ...moved(enters, order.event === 'unhold' ? goalOf(node, target) : target, now),
    last_error: null,
    ...set,
    driver_internal_info: {
      // Work that was on hold goes on where it was; other work begins again.
      ...(onHold === undefined ? idleInternalInfo(node) : node.driver_internal_info),
      ...internal,
      [PENDING_PROVISION]: toPendingRecord(pending, now.toISOString()),
    },
  };
}

/** A verb that needs no work: the node rests in another state. */
export const restFields = (
  node: NodeRecord,
  event: ProvisionOrder['event'],
  { enters, target }: Pick<Transition, 'enters' | 'target'>,
  now: Date,
): Fields => ({
  // The aborted work had the target in the record: that of manual cleaning differs from that of automated cleaning.
  ...moved(enters, target === null ? null : goalOf(node, target), now),
  ...withoutRescuePassword(node),
  last_error:
    event === 'abort' && target !== null ? `The ${node.provision_state} ${ABORTED}.` : null,
  ...noStep(node.provision_state),
  driver_internal_info: idleInternalInfo(node),
});

/** A node that waits for its agent and whose running step must not be cut short: it is aborted after it, as in Ironic. */
export function abortAfterFields(node: NodeRecord, now: Date): Fields | undefined {
  const pending = pendingProvisionOf(node);
  const step = runningStepOf(node);
  if (pending?.agent?.command === undefined || step['abortable'] !== false) return undefined;
  return {
    driver_internal_info: withPendingProvision(node, { ...pending, abortAfter: true }, now),
  };
}

/** A node in another state of its work, with all pending work recorded: the lock may be released. */
export const pendingFields = (
  node: NodeRecord,
  state: string,
  pending: PendingProvision,
  now: Date,
): Fields & { readonly driver_internal_info: Fields } => ({
  ...moved(state, node.target_provision_state, now),
  driver_internal_info: withPendingProvision(node, pending, now),
});

/** An inspection that goes on once an agent reports: the lock is released. */
export const inspectWaitFields = (node: NodeRecord, now: Date): Fields => ({
  ...moved('inspect wait', node.target_provision_state, now),
  driver_internal_info: idleInternalInfo(node),
});

/** An inspection for which the conductor booted the agent: how it came there is kept until it has left. */
export const inspectBootedFields = (
  node: NodeRecord,
  { set, internal }: WorkResult,
  now: Date,
): Fields => ({
  ...set,
  ...moved('inspect wait', node.target_provision_state, now),
  driver_internal_info: { ...node.driver_internal_info, ...internal },
});

/** An inspection whose findings are stored, and whose agent is to leave the machine. */
export function inspectedFields(node: NodeRecord, set: Fields, now: Date): Fields {
  const pending = pendingProvisionOf(node);
  const here = { phase: 'here', isPlanned: false } as const;
  return {
    ...set,
    ...(pending === undefined
      ? moved('inspecting', node.target_provision_state, now)
      : pendingFields(node, 'inspecting', { ...pending, agent: here }, now)),
  };
}

/** A node whose agent is at work still: it waits from now on. */
export const stillWaitingFields = (now: Date): Fields => ({
  provision_updated_at: timestampOf(now),
});

/** A torn-down node on its way to cleaning: nothing of the instance and its tenant is left. */
export const tornDownFields = (
  node: NodeRecord,
  { set, internal }: WorkResult,
  now: Date,
): Fields => ({
  ...set,
  ...moved('cleaning', 'available', now),
  instance_uuid: null,
  instance_name: null,
  instance_info: {},
  ...(node.driver_internal_info[AUTOMATIC_LESSEE] === true && { lessee: null }),
  driver_internal_info: {
    ...without(node.driver_internal_info, AUTOMATIC_LESSEE),
    ...internal,
  },
});

/** Work that succeeded. */
export const doneFields = (
  node: NodeRecord,
  state: BusyState,
  { set, internal }: WorkResult,
  now: Date,
): Fields => ({
  ...set,
  ...moved(restingStateOf(node), null, now),
  last_error: null,
  ...withoutRescuePassword(node),
  ...noStep(state),
  ...(state === 'inspecting' && { inspection_finished_at: timestampOf(now) }),
  driver_internal_info: { ...idleInternalInfo(node), ...internal },
});

/** Work that failed; `reason` is safe to show. A node that could not be cleaned is in maintenance, as in Ironic. */
export function failedFields(
  node: NodeRecord,
  state: BusyState,
  reason: string,
  now: Date,
): Fields {
  const sentence = `${FAILURES[state]}. Error: ${reason.replace(/\.$/u, '')}.`;
  return {
    ...withoutRescuePassword(node),
    // A node that fails to verify was never managed: it rests where it came from.
    ...moved(failedStateOf(state), state === 'verifying' ? null : node.target_provision_state, now),
    last_error: sentence,
    ...noStep(state),
    ...(state === 'cleaning' && {
      maintenance: true,
      maintenance_reason: sentence.slice(0, 255),
      fault: 'clean failure',
    }),
    driver_internal_info: idleInternalInfo(node),
  };
}

/** A node whose agent did not come in time; undefined when it waits for none. */
export function timedOutFields(node: NodeRecord, now: Date): Fields | undefined {
  const state = timedOutStateOf(node.provision_state);
  return state === undefined
    ? undefined
    : {
        ...withoutRescuePassword(node),
        provision_state: state,
        provision_updated_at: timestampOf(now),
        last_error: `Timeout reached while the node was in ${node.provision_state}: its agent did not report.`,
        driver_internal_info: idleInternalInfo(node),
      };
}

/**
 * The automatic lessee of a node without a lessee: as in Ironic, `instance_info.project_id`. Only for a caller that may also
 * write `lessee`, and never within a future lease.
 */
function automaticLessee(
  node: NodeRecord,
  { mayWriteLessee = false }: ProvisionOrder,
): string | undefined {
  const project = node.instance_info['project_id'];
  return mayWriteLessee &&
    node.lessee === null &&
    typeof node.lease_uuid !== 'string' &&
    isTenancyId(project)
    ? project
    : undefined;
}

function startOf(node: NodeRecord, order: ProvisionOrder, now: Date): WorkResult {
  if (order.event === 'deploy' || order.event === 'rebuild') return startOfDeploy(node, order);
  if (order.event === 'inspect')
    return { set: { inspection_started_at: timestampOf(now), inspection_finished_at: null } };
  if (order.event === 'rescue')
    return {
      set: {
        instance_info: {
          ...node.instance_info,
          [HASHED_PASSWORD]: order.hashedRescuePassword ?? null,
        },
      },
    };
  return {};
}

const moved = (state: string, target: string | null, now: Date): Fields => ({
  provision_state: state,
  target_provision_state: target,
  provision_updated_at: timestampOf(now),
});

/** Where the work on a node aims already. */
function goalOf(node: NodeRecord, otherwise: string): string {
  const goal = node.target_provision_state;
  return typeof goal === 'string' ? goal : otherwise;
}

/** `driver_internal_info` when no work and no agent is under way any more. */
const idleInternalInfo = (node: NodeRecord): Fields =>
  without(withoutAgent(node.driver_internal_info), PENDING_PROVISION, WATCHED, ...STEP_MEMBERS);

function startOfDeploy(node: NodeRecord, order: ProvisionOrder): WorkResult {
  const lessee = automaticLessee(node, order);
  const drive = order.configDrive;
  return {
    set: {
      ...(lessee !== undefined && { lessee }),
      ...(drive !== undefined && {
        instance_info: { ...node.instance_info, configdrive: drive },
      }),
    },
    internal: lessee === undefined ? {} : { [AUTOMATIC_LESSEE]: true },
  };
}

/** The password of a rescue is kept no longer than it is needed. */
const withoutRescuePassword = (node: NodeRecord): Fields =>
  HASHED_PASSWORD in node.instance_info
    ? { instance_info: without(node.instance_info, HASHED_PASSWORD) }
    : {};

function runningStepOf({ provision_state: state, ...node }: NodeRecord): Fields {
  if (state === 'clean wait') return membersOf(node.clean_step);
  return state === 'service wait' ? membersOf(node.service_step) : {};
}

/** The state in which a node comes to rest: a retired one does not become available again. */
function restingStateOf(node: NodeRecord): string {
  const state = goalOf(node, 'manageable');
  return state === 'available' && node.retired ? 'manageable' : state;
}
