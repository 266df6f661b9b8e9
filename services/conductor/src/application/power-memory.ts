import { performance } from 'node:perf_hooks';
import { type NodeRecord } from '@tenure/contracts';
import { isPowerFault } from '../domain/power-fault.js';
import { type HardwareDocuments } from './hardware-documents.js';

/** Nodes whose documents are read in one round: the whole fleet must not be read at the start. */
const READS_PER_ROUND = 50;

/** Schedules the first read of nodes' documents, a few in each round. */
interface DocumentReads {
  readonly schedule: (node: NodeRecord) => void;
  /** Ends a round in which these nodes were seen. */
  readonly end: (seen: ReadonlySet<string>) => void;
}

/** Nodes that were late, and when those in maintenance are visited again. */
interface SyncMemory {
  readonly late: Set<string>;
  /** True once in a while for a node in maintenance because of its power. */
  readonly isDue: (node: NodeRecord) => boolean;
  /** Forgets nodes that this conductor is no longer responsible for. */
  readonly keep: (seen: ReadonlySet<string>) => void;
}

export function createDocumentReads(documents: HardwareDocuments): DocumentReads {
  let count = 0;
  return {
    schedule: (node: NodeRecord): void => {
      if (count >= READS_PER_ROUND || documents.isVisited(node.uuid)) return;
      count += 1;
      documents.storeMissing(node);
    },
    end: (seen: ReadonlySet<string>): void => {
      documents.keep(seen);
      // Failed nodes are retried once all new nodes were read: hardware that never answers must not displace the others.
      if (count < READS_PER_ROUND) documents.resetFailures();
      count = 0;
    },
  };
}

/** @param recoveryMs milliseconds between two visits of a node in maintenance; 0: never */
export function createMemory(recoveryMs: number): SyncMemory {
  const late = new Set<string>();
  const nextLook = new Map<string, number>();
  return {
    late,
    isDue: (node: NodeRecord): boolean => {
      const now = performance.now();
      if (recoveryMs === 0 || node.reservation !== null || !isPowerFault(node)) return false;
      if (now < (nextLook.get(node.uuid) ?? 0)) return false;
      nextLook.set(node.uuid, now + recoveryMs);
      return true;
    },
    keep: (seen: ReadonlySet<string>): void => {
      for (const uuid of late) if (!seen.has(uuid)) late.delete(uuid);
      for (const uuid of nextLook.keys()) if (!seen.has(uuid)) nextLook.delete(uuid);
    },
  };
}
