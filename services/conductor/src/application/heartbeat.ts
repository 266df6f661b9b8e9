import { createOutage, type Logger } from '@tenure/process';
import { newCallContext } from '@tenure/signed-context';
import { type ConductorReport, type InventoryPort } from '../ports/inventory-port.js';

export interface HeartbeatOptions {
  readonly inventory: InventoryPort;
  readonly hostname: string;
  readonly report: ConductorReport;
  readonly logger: Logger;
  /** Learns who else is alive; throws when the inventory does not answer. */
  readonly refreshMembers: () => Promise<void>;
  /** Resumes what was left reserved; throws when the inventory does not answer. */
  readonly recover: () => Promise<void>;
  /** True when an earlier call may have left a node reserved. */
  readonly takeUncertain: () => boolean;
}

export interface Heartbeat {
  readonly beat: () => Promise<void>;
  readonly isInventoryReachable: () => boolean;
  /**
   * Deregisters after a heartbeat that is under way, and sends no further heartbeat. The conductor gets no more orders. It keeps
   * its locks until its last heartbeat expires. Throws when the inventory does not answer: then it is listed as alive until then.
   */
  readonly deregister: () => Promise<void>;
}

const ROUNDS_WHEN_UNCERTAIN = 2;

/** Reports this conductor, learns of the others, and recovers whenever the inventory is (again) there. */
export function createHeartbeat({
  inventory,
  hostname,
  report,
  logger,
  refreshMembers,
  recover,
  takeUncertain,
}: HeartbeatOptions): Heartbeat {
  const outage = createOutage({
    began: (error) => {
      logger.warn({ err: error }, 'the inventory does not answer');
    },
    ended: () => {
      logger.info('the inventory answers');
    },
    isOn: true,
  });
  // Rounds of recovery still due. Two after an uncertain call: a call that timed out may still take effect after the first round.
  let due = 1;
  let isOver = false;
  let beating: Promise<void> = Promise.resolve();
  const beat = async (): Promise<void> => {
    try {
      await inventory.report(newCallContext('tenure:conductor:heartbeat'), hostname, report);
      await refreshMembers();
      outage.succeeded();
      if (takeUncertain()) due = ROUNDS_WHEN_UNCERTAIN;
      if (due === 0) return;
      await recover();
      due -= 1;
    } catch (error) {
      outage.failed(error);
      due = ROUNDS_WHEN_UNCERTAIN;
    }
  };
  return {
    isInventoryReachable: () => !outage.isOn(),
    beat: () => {
      if (!isOver) beating = beat();
      return beating;
    },
    deregister: async () => {
      isOver = true;
      await beating;
      await inventory.deregister(newCallContext('tenure:conductor:deregister'), hostname);
    },
  };
}
