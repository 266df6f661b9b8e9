import { type NodeRecord } from '@tenure/contracts';
import { deadlineWithin } from '@tenure/process';
import { DriverFailure } from '../domain/driver-failure.js';
import {
  freshPending,
  type PendingPower,
  type PowerState,
  recordedPower,
  takenUp,
  withoutPending,
} from '../domain/power.js';
import { type LockedWork, noteWithRetry } from './locked-write.js';
import { pendingPowerUnder } from './pending-power.js';
import { type SharedParts } from './shared-parts.js';

type PowerClearingOptions = Pick<SharedParts, 'driverOf' | 'now'>;

/** A machine that is off, and what its node is written with. */
interface Off {
  /** It was off before. */
  readonly wasOff: boolean;
  readonly set: Readonly<Record<string, unknown>>;
}

const OFF = 'power off';
/** Milliseconds that a change of power is given. */
const POWER_MS = 120_000;

/**
 * Switches a machine off that is handed over, unless it was read as off. `unsupported`: the node must not be
 * switched off. @throws DriverFailure; AppError `lock_lost`
 */
export async function clearPower(
  options: PowerClearingOptions,
  { lock, deadline }: LockedWork,
): Promise<Off | 'unsupported'> {
  const node = lock.node();
  if (node.disable_power_off) return 'unsupported';
  const limit = deadlineWithin(deadline, POWER_MS);
  const seen = await options.driverOf(node).getPowerState(node, limit);
  const power_state = seen === OFF ? seen : await switchOff(options, { lock, deadline: limit });
  const driver_internal_info = withoutPending(lock.node());
  return {
    wasOff: seen === OFF,
    set: { power_state, target_power_state: null, driver_internal_info },
  };
}

/** Recorded as an order is. A failure is the end of the command: the next clearing sends it again. */
async function switchOff(
  { driverOf, now }: PowerClearingOptions,
  work: LockedWork,
): Promise<PowerState> {
  const { lock, deadline } = work;
  const records = pendingPowerUnder(work, now);
  const pending = pendingOff(lock.node());
  await records.write(pending);
  const change = { goal: OFF, soft: false, attempt: records.attempt(pending) } as const;
  try {
    return await driverOf(lock.node()).setPowerState(lock.node(), change, deadline);
  } catch (error) {
    if (error instanceof DriverFailure && !deadline.signal.aborted)
      await noteWithRetry(work, { driver_internal_info: withoutPending(lock.node()) });
    throw error;
  }
}

/** The command that switches the machine off; it may have been begun before a restart. */
function pendingOff(node: NodeRecord): PendingPower {
  const earlier = recordedPower(node);
  return earlier?.target === OFF
    ? takenUp(earlier)
    : freshPending({ target: OFF, timeoutSeconds: null });
}
