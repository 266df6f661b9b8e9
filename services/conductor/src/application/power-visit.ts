import { type CallContext, type NodeRecord } from '@tenure/contracts';
import { deadlineIn, isOver, type Deadline } from '@tenure/process';
import { DriverFailure, safeReason } from '../domain/driver-failure.js';
import { isPowerFault, powerFaultFields, RECOVERED_FIELDS } from '../domain/power-fault.js';
import { type PowerState } from '../domain/power.js';
import { waitsForAgent } from '../domain/provision/states.js';
import { isRefused } from '../domain/refused.js';
import { type SyncOutcome } from '../domain/sync-outcome.js';
import { aboutNode } from './about-node.js';
import { type PowerDrift } from './power-drift.js';
import { type PowerOutages } from './power-outages.js';
import { type SharedParts } from './shared-parts.js';

/** Timeout of a BMC, milliseconds. */
interface Patience {
  readonly ms: number;
  /** Whether the BMC is retried with a longer timeout: then a timeout is no failure yet. */
  readonly more: boolean;
}

export interface PowerVisitOptions extends Pick<SharedParts, 'driverOf' | 'locks' | 'stopping'> {
  readonly drift: PowerDrift;
  readonly outages: PowerOutages;
  /** So many failed readings in a row put a node into maintenance. */
  readonly maxRetries: number;
  /** Timeout of a reading under the lock, milliseconds. */
  readonly slowMs: number;
}

/** Compares a node's power with its record, and does what follows. `late`: it needs more patience. */
export type PowerVisit = (
  context: CallContext,
  node: NodeRecord,
  patience: Patience,
) => Promise<SyncOutcome | 'late'>;

/** Nodes that the sync does not ask for their power. */
export const isLeftAlone = (node: NodeRecord): boolean =>
  node.reservation !== null || isOutOfHand(node);

export function createPowerVisit(options: PowerVisitOptions): PowerVisit {
  const { locks, driverOf, stopping, drift, outages, slowMs } = options;
  const { unreachable, recover } = createFaults(options);

  const readAgain = async (node: NodeRecord): Promise<PowerState | null | undefined> => {
    try {
      return await driverOf(node).getPowerState(node, deadlineIn(slowMs, stopping));
    } catch {
      // It was read a moment ago: if it stays unreachable, the next round reports that.
      return undefined;
    }
  };
  const visit: PowerVisit = async (context, node, { ms, more }) => {
    if (locks.isLocked(node.uuid)) return 'skipped';
    const deadline = deadlineIn(ms, stopping);
    let state: PowerState | null;
    try {
      state = await driverOf(node).getPowerState(node, deadline);
    } catch (error) {
      if (stopping.aborted) return 'skipped';
      return more && isLate(error, deadline) ? 'late' : unreachable(context, node, error);
    }
    await outages.readable(context, node);
    if (isPowerFault(node)) return recover(context, node, state);
    if (state !== null && state !== node.power_state)
      return drift.reconcile(context, node, readAgain);
    drift.agrees(node.uuid);
    return 'same';
  };
  return async (context, node, patience) => {
    try {
      return await visit(context, node, patience);
    } catch (error) {
      // Locked, changed hands or deleted meanwhile: the next round sees it as it is then.
      if (isRefused(error)) return 'busy';
      throw error;
    }
  };
}

// As in Ironic: the credentials of an enrolled node are not verified yet, and a waiting node is controlled by its agent.
const isOutOfHand = ({ maintenance, provision_state: state }: NodeRecord): boolean =>
  maintenance || state === 'enroll' || waitsForAgent(state);

/** Puts a node into maintenance when its power cannot be read, and takes it out when it can be read again. */
function createFaults({ locks, outages, maxRetries }: PowerVisitOptions) {
  /** Writes the fields if the condition is still true under the lock; returns whether it is. */
  const writeUnderLock = async (
    context: CallContext,
    node: NodeRecord,
    isStillTrue: (node: NodeRecord) => boolean,
    set: Readonly<Record<string, unknown>>,
  ): Promise<boolean> => {
    const lock = await locks.take(aboutNode(context, node), node.uuid);
    const holds = isStillTrue(lock.node());
    await lock.releaseWithRetry(holds ? set : {});
    return holds;
  };
  const unreachable = async (
    context: CallContext,
    node: NodeRecord,
    error: unknown,
  ): Promise<SyncOutcome> => {
    const count = await outages.failed(context, node, error);
    if (count < maxRetries || node.maintenance) return 'unreachable';
    const sentence = `The power state could not be read ${String(count)} times in a row. Error: ${safeReason(error)}.`;
    const isPutAway = await writeUnderLock(
      context,
      node,
      (fresh) => !isOutOfHand(fresh),
      powerFaultFields(sentence),
    );
    return isPutAway ? 'maintenance' : 'unreachable';
  };
  const recover = async (
    context: CallContext,
    node: NodeRecord,
    state: PowerState | null,
  ): Promise<SyncOutcome> => {
    const set = { ...RECOVERED_FIELDS, ...(state !== null && { power_state: state }) };
    return (await writeUnderLock(context, node, isPowerFault, set)) ? 'recovered' : 'same';
  };
  return { unreachable, recover };
}

const isLate = (error: unknown, deadline: Deadline): boolean =>
  isOver(deadline) || (error instanceof DriverFailure && error.kind === 'timeout');
