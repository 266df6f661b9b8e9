import { AppError, type NodeRecord } from '@tenure/contracts';
import { type Logger } from '@tenure/process';
import { deadlineIn } from '../deadline.js';
import { safeReason } from '../domain/driver-failure.js';
import { type PowerState } from '../domain/power.js';
import { waitsForAgent } from '../domain/provision/states.js';
import { type DriverOf } from '../ports/hardware-driver.js';
import { type Behalf, type InventoryPort } from '../ports/inventory-port.js';
import { aboutNode, ownBehalf } from './behalf.js';
import { eachNode } from './each-node.js';
import { type HardwareDocuments } from './hardware-documents.js';
import { type Membership } from './membership.js';
import { type NodeLocks } from './node-locks.js';

export type SyncOutcome = 'same' | 'changed' | 'skipped' | 'unreachable' | 'busy';

export interface PowerSyncOptions {
  readonly inventory: InventoryPort;
  readonly locks: NodeLocks;
  readonly membership: Membership;
  readonly driverOf: DriverOf;
  readonly documents: HardwareDocuments;
  readonly logger: Logger;
  readonly stopping: AbortSignal;
  readonly observe: (outcome: SyncOutcome) => void;
}

export interface PowerSync {
  /** One round over the nodes that this conductor is responsible for. */
  readonly round: () => Promise<void>;
}

const WORKERS = 8;
const BMC_MS = 10_000;
/** So many nodes are met for the first time in one round: a fleet must not be read whole at the start. */
const MET_PER_ROUND = 50;
/** So many failures in a row are told of, once. */
const FAILURES_TOLD = 3;
// As Ironic: nobody has vouched for the credentials of an enrolled node, and a waiting one is in the hands of its agent.
const isLeftAlone = ({ maintenance, reservation, provision_state: state }: NodeRecord): boolean =>
  maintenance || reservation !== null || state === 'enroll' || waitsForAgent(state);

type ReadPower = (node: NodeRecord) => Promise<PowerState | null | undefined>;

/** Reads power states; undefined when the hardware does not tell. Remembers failures only to speak of them once. */
const createReader = ({
  driverOf,
  logger,
  stopping,
}: PowerSyncOptions): {
  readonly read: ReadPower;
  readonly keep: (seen: ReadonlySet<string>) => void;
} => {
  const failures = new Map<string, number>();
  const read: ReadPower = async (node) => {
    try {
      const state = await driverOf(node).getPowerState(node, deadlineIn(BMC_MS, stopping));
      if ((failures.get(node.uuid) ?? 0) >= FAILURES_TOLD)
        logger.info({ node: node.uuid }, 'the power of the node can be read again');
      failures.delete(node.uuid);
      return state;
    } catch (error) {
      const count = (failures.get(node.uuid) ?? 0) + 1;
      failures.set(node.uuid, count);
      if (count === FAILURES_TOLD)
        logger.warn(
          { node: node.uuid, reason: safeReason(error) },
          'the power of the node cannot be read',
        );
      return undefined;
    }
  };
  const keep = (seen: ReadonlySet<string>): void => {
    for (const uuid of failures.keys()) if (!seen.has(uuid)) failures.delete(uuid);
  };
  return { read, keep };
};

/** Reads again under the lock: what was read without it may be older than an action that came and went meanwhile. */
const correct = async (
  locks: NodeLocks,
  read: ReadPower,
  behalf: Behalf,
  node: NodeRecord,
): Promise<SyncOutcome> => {
  const lock = await locks.take(aboutNode(behalf, node), node.uuid);
  const fresh = await read(lock.node());
  const differs = typeof fresh === 'string' && fresh !== lock.node().power_state;
  await lock.settle(differs ? { power_state: fresh } : {});
  if (fresh === undefined) return 'unreachable';
  return differs ? 'changed' : 'same';
};

const syncNode = async (
  locks: NodeLocks,
  read: ReadPower,
  behalf: Behalf,
  node: NodeRecord,
): Promise<SyncOutcome> => {
  if (isLeftAlone(node) || locks.isHeld(node.uuid)) return 'skipped';
  const state = await read(node);
  if (state === undefined) return 'unreachable';
  if (state === null || state === node.power_state) return 'same';
  try {
    return await correct(locks, read, behalf, node);
  } catch (error) {
    // Locked, changed hands or deleted meanwhile: the next round sees it as it is then.
    if (error instanceof AppError && error.status < 500) return 'busy';
    throw error;
  }
};

/** Keeps `power_state` true to the hardware, a few BMCs at a time. */
export const createPowerSync = (options: PowerSyncOptions): PowerSync => {
  const { inventory, locks, membership, documents, logger, stopping, observe } = options;
  const { read, keep } = createReader(options);
  let met = 0;
  const meet = (node: NodeRecord): void => {
    if (met >= MET_PER_ROUND || documents.isMet(node.uuid)) return;
    met += 1;
    documents.meet(node);
  };
  const visit = async (behalf: Behalf, node: NodeRecord): Promise<void> => {
    try {
      const outcome = await syncNode(locks, read, behalf, node);
      observe(outcome);
      if (outcome === 'same' || outcome === 'changed') meet(node);
    } catch (error) {
      observe('busy');
      logger.debug({ node: node.uuid, err: error }, 'power sync of a node failed');
    }
  };
  return {
    round: async () => {
      const behalf = ownBehalf('tenure:conductor:power_sync');
      met = 0;
      const busy = new Set<Promise<void>>();
      const seen = new Set<string>();
      await membership.known();
      await eachNode(inventory, behalf, async (node) => {
        stopping.throwIfAborted();
        if (!membership.isMine(node)) return;
        seen.add(node.uuid);
        while (busy.size >= WORKERS) await Promise.race(busy);
        const task = visit(behalf, node);
        busy.add(task);
        void task.finally(() => busy.delete(task));
      });
      await Promise.all(busy);
      keep(seen);
      documents.keep(seen);
      // Who failed waits until nobody new is left: hardware that never answers must not take the others' place.
      if (met < MET_PER_ROUND) documents.forgive();
    },
  };
};
