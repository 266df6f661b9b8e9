import { performance } from 'node:perf_hooks';
import { type CallContext, type NodeRecord } from '@tenure/contracts';
import { createLimiter, type Limiter } from '@tenure/process';
import { newCallContext } from '@tenure/signed-context';
import { isPowerFault } from '../domain/power-fault.js';
import { type SyncOutcome } from '../domain/sync-outcome.js';
import { eachNode } from './each-node.js';
import { type HardwareDocuments } from './hardware-documents.js';
import { createPowerDrift } from './power-drift.js';
import { createDocumentReads, createMemory } from './power-memory.js';
import { createPowerOutages } from './power-outages.js';
import { createPowerVisit, isLeftAlone, type PowerVisit } from './power-visit.js';
import { type PowerWork } from './power-work.js';
import { type SharedParts } from './shared-parts.js';

export interface PowerSyncLimits {
  /** BMCs that are read at the same time, at least 2; a quarter of this is for BMCs that were late at the last attempt. */
  readonly workers: number;
  /** Timeout of a BMC within the round, milliseconds; a BMC that takes longer is retried in the background. */
  readonly quickMs: number;
  /** Timeout of a late BMC, milliseconds. */
  readonly slowMs: number;
  /** Milliseconds within which a round is to end. */
  readonly roundMs: number;
  /** Failures in a row that put a node into maintenance. */
  readonly maxRetries: number;
  /** Milliseconds between two visits of a node in maintenance because of its power; 0: never. */
  readonly recoveryMs: number;
  /** Whether hardware that differs from its record is set back; otherwise the record follows. */
  readonly force: boolean;
}

export const POWER_SYNC_LIMITS: PowerSyncLimits = {
  workers: 32,
  quickMs: 3000,
  slowMs: 10_000,
  roundMs: 120_000,
  maxRetries: 3,
  recoveryMs: 300_000,
  force: false,
};

/** Where the sync is counted. */
export interface SyncMetrics {
  readonly visit: (outcome: SyncOutcome) => void;
  readonly round: (round: SyncRound) => void;
}

/** A round of the sync that has ended. */
interface SyncRound {
  readonly seconds: number;
  /** Nodes of this conductor, each with a BMC. */
  readonly nodes: number;
  /** Nodes that could not be read at the last attempt. */
  readonly unreachable: number;
  /** The round took longer than the time in which the next one was due. */
  readonly isLate: boolean;
}

export interface PowerSyncOptions extends Pick<
  SharedParts,
  'driverOf' | 'inventory' | 'locks' | 'logger' | 'membership' | 'stopping'
> {
  readonly power: Pick<PowerWork, 'start'>;
  readonly documents: HardwareDocuments;
  readonly holder: string;
  readonly metrics: SyncMetrics;
  readonly limits: PowerSyncLimits;
}

export interface PowerSync {
  /**
   * One round over the nodes that this conductor is responsible for. A BMC that does not answer in time is retried in the
   * background.
   */
  readonly round: () => Promise<void>;
  /** Resolves when no BMC is being read any more. */
  readonly idle: () => Promise<void>;
}

/** Visits nodes, with either of the two timeouts. */
interface Visits {
  readonly quickly: (context: CallContext, node: NodeRecord) => Promise<void>;
  /** Visits later, with the longer timeout; a node that is queued already is not queued twice. */
  readonly slowly: (context: CallContext, uuid: string) => void;
}

interface VisitsOptions extends PowerSyncOptions {
  readonly visit: PowerVisit;
  readonly slow: Limiter;
  readonly late: Set<string>;
  readonly scheduleDocuments: (node: NodeRecord) => void;
}

/**
 * Keeps `power_state` true to the hardware, a limited number of BMCs at a time. The fleet is read under a large limit. Late BMCs
 * are read under a small limit with longer deadlines, so that hardware which hangs does not keep a round from ending.
 * Orders of the API have workers of their own.
 */
export function createPowerSync(options: PowerSyncOptions): PowerSync {
  const { inventory, membership, documents, stopping, metrics, limits } = options;
  const slowWorkers = Math.max(1, Math.floor(limits.workers / 4));
  const quick = createLimiter({ atOnce: Math.max(1, limits.workers - slowWorkers) });
  const slow = createLimiter({ atOnce: slowWorkers });
  const drift = createPowerDrift({ ...options, ...limits });
  const outages = createPowerOutages(options);
  const meetings = createDocumentReads(documents);
  const memory = createMemory(limits.recoveryMs);
  const visits = createVisits({
    ...options,
    visit: createPowerVisit({ ...options, ...limits, drift, outages }),
    slow,
    late: memory.late,
    scheduleDocuments: meetings.schedule,
  });
  const ask = async (context: CallContext, node: NodeRecord): Promise<void> => {
    if (memory.isDue(node) || (!isLeftAlone(node) && memory.late.has(node.uuid)))
      visits.slowly(context, node.uuid);
    else if (isLeftAlone(node)) metrics.visit('skipped');
    else {
      // The walk over the fleet goes on when the visit has begun.
      const leave = await quick.acquire();
      void visits.quickly(context, node).finally(leave);
    }
  };
  return {
    round: async () => {
      const began = performance.now();
      const context = newCallContext('tenure:conductor:power_sync');
      const seen = new Set<string>();
      drift.begin();
      await membership.ensureLoaded();
      await eachNode(inventory, context, async (node) => {
        stopping.throwIfAborted();
        if (!membership.isMine(node)) return;
        seen.add(node.uuid);
        await ask(context, node);
      });
      await quick.idle();
      for (const part of [outages, drift, memory]) part.keep(seen);
      meetings.end(seen);
      const ms = performance.now() - began;
      metrics.round({
        seconds: ms / 1000,
        nodes: seen.size,
        unreachable: outages.count(),
        isLate: ms > limits.roundMs,
      });
    },
    idle: async () => {
      await Promise.all([quick.idle(), slow.idle()]);
    },
  };
}

function createVisits(options: VisitsOptions): Visits {
  const { inventory, logger, stopping, metrics, limits, visit, slow, late, scheduleDocuments } =
    options;
  const queued = new Set<string>();

  const ended = (node: NodeRecord, outcome: SyncOutcome): void => {
    metrics.visit(outcome);
    if (outcome === 'same' || outcome === 'changed') scheduleDocuments(node);
  };
  const failed = (uuid: string, error: unknown): void => {
    metrics.visit('busy');
    logger.debug({ node: uuid, err: error }, 'power sync of a node failed');
  };
  const visitSlowly = async (context: CallContext, uuid: string): Promise<void> => {
    try {
      stopping.throwIfAborted();
      // It may have been queued for long.
      const node = await inventory.getNode(context, uuid);
      if (isLeftAlone(node) && !(isPowerFault(node) && node.reservation === null)) return;
      const began = performance.now();
      const outcome = await visit(context, node, { ms: limits.slowMs, more: false });
      const isQuick = outcome !== 'unreachable' && performance.now() - began < limits.quickMs;
      if (isQuick) late.delete(uuid);
      if (outcome !== 'late') ended(node, outcome);
    } catch (error) {
      failed(uuid, error);
    } finally {
      queued.delete(uuid);
    }
  };
  const slowly = (context: CallContext, uuid: string): void => {
    if (queued.has(uuid)) return;
    queued.add(uuid);
    void slow.run(() => visitSlowly(context, uuid));
  };
  const quickly = async (context: CallContext, node: NodeRecord): Promise<void> => {
    try {
      const outcome = await visit(context, node, { ms: limits.quickMs, more: true });
      if (outcome !== 'late') {
        ended(node, outcome);
        return;
      }
      late.add(node.uuid);
      slowly(context, node.uuid);
    } catch (error) {
      failed(node.uuid, error);
    }
  };
  return { quickly, slowly };
}
