import { type NodeRecord } from '@tenure/contracts';
import { recordedWatch, stayOf } from '../domain/provision/watched-time.js';

/** How long nodes were watched in their present states, by rounds of this process and, as recorded, of those before it. */
export interface WatchedTime {
  /** Begins a round: what passed since the last one began is added to whatever is seen again. */
  readonly begin: () => void;
  /** Milliseconds for which the node was watched in the state in which it is. */
  readonly see: (node: NodeRecord) => number;
  /** Milliseconds of these that are not recorded yet. */
  readonly unrecorded: (node: NodeRecord) => number;
  /** Forgets what was not seen since `begin`. */
  readonly end: () => void;
}

interface Watch {
  readonly stay: string;
  readonly round: number;
  readonly ms: number;
}

/**
 * @param elapsedMs a clock that only goes forward; it may be stopped, and go on
 * @param mostMs what one round adds at most: a process that was frozen, and a clock that was set, did not watch
 */
export function createWatchedTime(elapsedMs: () => number, mostMs: number): WatchedTime {
  const watches = new Map<string, Watch>();
  let round = 0;
  let began: number | undefined;
  let added = 0;
  return {
    begin: () => {
      const now = elapsedMs();
      added = began === undefined ? 0 : Math.min(Math.max(0, now - began), mostMs);
      began = now;
      round += 1;
    },
    see: (node) => {
      const stay = stayOf(node);
      const watch = watches.get(node.uuid);
      if (watch?.stay === stay && watch.round === round) return watch.ms;
      const isSeenAgain = watch?.stay === stay && watch.round === round - 1;
      const ms = isSeenAgain ? watch.ms + added : recordedWatch(node);
      watches.set(node.uuid, { stay, round, ms });
      return ms;
    },
    unrecorded: (node) => (watches.get(node.uuid)?.ms ?? 0) - recordedWatch(node),
    end: () => {
      for (const [uuid, watch] of watches) if (watch.round !== round) watches.delete(uuid);
    },
  };
}
