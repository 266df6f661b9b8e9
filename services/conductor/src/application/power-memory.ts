import { performance } from 'node:perf_hooks';
import { type NodeRecord } from '@tenure/contracts';
import { isPowerFault } from '../domain/power-fault.js';
import { type HardwareDocuments } from './hardware-documents.js';

/** So many nodes are met for the first time in one round: a fleet must not be read whole at the start. */
const READS_PER_ROUND = 50;

/** Meets nodes for the first time, a few in each round. */
interface DocumentReads {
  readonly schedule: (node: NodeRecord) => void;
  /** The round is over, in which these nodes were seen. */
  readonly end: (seen: ReadonlySet<string>) => void;
}

/** Nodes that were late, and when those in maintenance are looked at again. */
interface SyncMemory {
  readonly late: Set<string>;
  /** True once in a while for a node in maintenance because of its power. */
  readonly isDue: (node: NodeRecord) => boolean;
  /** Forgets nodes that this conductor looks after no more. */
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
      // Who failed waits until nobody new is left: hardware that never answers must not take the others' place.
      if (count < READS_PER_ROUND) documents.resetFailures();
      count = 0;
    },
  };
}

/** @param recoveryMs milliseconds between two looks at a node in maintenance; 0: never */
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
