import { type CallContext, type NodeRecord } from '@tenure/contracts';
import { powerFaultFields } from '../domain/power-fault.js';
import { isPowerState, type PowerState } from '../domain/power.js';
import { type SyncOutcome } from '../domain/sync-outcome.js';
import { aboutNode } from './about-node.js';
import { type NodeLock, type NodeLocks } from './node-locks.js';
import { type PowerWork } from './power-work.js';

export interface PowerDriftOptions {
  readonly locks: NodeLocks;
  readonly power: Pick<PowerWork, 'start'>;
  /** Whether the hardware is set back to what the record says; otherwise the record follows the hardware. */
  readonly force: boolean;
  /** So often in a row the hardware is set back before it is given up. */
  readonly maxRetries: number;
}

/** Reconciles a node's power when hardware and record differ. */
export interface PowerDrift {
  /** @param read asks the hardware again: what was read without the lock may be older than an action that came and went */
  readonly reconcile: (
    context: CallContext,
    node: NodeRecord,
    read: (node: NodeRecord) => Promise<PowerState | null | undefined>,
  ) => Promise<SyncOutcome>;
  /** The node is as its record says. */
  readonly agrees: (uuid: string) => void;
  /** A new round begins. */
  readonly begin: () => void;
  /** Forgets nodes that this conductor is no longer responsible for. */
  readonly keep: (seen: ReadonlySet<string>) => void;
}

/** So many nodes are set back in one round: racks that lost their power must not draw all of it again at once. */
const FORCED_PER_ROUND = 50;

export function createPowerDrift({
  locks,
  power,
  force,
  maxRetries,
}: PowerDriftOptions): PowerDrift {
  const tries = new Map<string, number>();
  let forced = 0;

  const adopt = async (lock: NodeLock, fresh: PowerState): Promise<SyncOutcome> => {
    await lock.releaseWithRetry({ power_state: fresh });
    return 'changed';
  };
  const fault = async (lock: NodeLock, goal: string, fresh: PowerState): Promise<SyncOutcome> => {
    tries.delete(lock.uuid);
    const sentence = `The power would not stay '${goal}', which it was set to ${String(maxRetries)} times.`;
    await lock.releaseWithRetry({ power_state: fresh, ...powerFaultFields(sentence) });
    return 'maintenance';
  };
  /** Persisted like an order, so that it is resumed after a crash; it runs in the background, as orders do. */
  const setBack = async (lock: NodeLock, goal: PowerState): Promise<SyncOutcome> => {
    tries.set(lock.uuid, (tries.get(lock.uuid) ?? 0) + 1);
    forced += 1;
    await power.start(lock, goal);
    return 'forced';
  };
  /** The state to set the hardware back to, when it is to be. A node that may not be switched off is not switched off by us. */
  const goalOf = (node: NodeRecord): PowerState | undefined => {
    const { power_state: goal } = node;
    if (!force || !isPowerState(goal)) return undefined;
    return goal === 'power off' && node.disable_power_off ? undefined : goal;
  };
  const decide = async (lock: NodeLock, fresh: PowerState): Promise<SyncOutcome> => {
    const goal = goalOf(lock.node());
    if (goal === undefined) return adopt(lock, fresh);
    if ((tries.get(lock.uuid) ?? 0) >= maxRetries) return fault(lock, goal, fresh);
    if (forced < FORCED_PER_ROUND) return setBack(lock, goal);
    await lock.releaseWithRetry({});
    return 'busy';
  };
  return {
    reconcile: async (context, node, read) => {
      const lock = await locks.take(aboutNode(context, node), node.uuid);
      const fresh = await read(lock.node());
      if (typeof fresh === 'string' && fresh !== lock.node().power_state)
        return decide(lock, fresh);
      await lock.releaseWithRetry({});
      return fresh === undefined ? 'unreachable' : 'same';
    },
    agrees: (uuid) => {
      tries.delete(uuid);
    },
    begin: () => {
      forced = 0;
    },
    keep: (seen) => {
      for (const uuid of tries.keys()) if (!seen.has(uuid)) tries.delete(uuid);
    },
  };
}
