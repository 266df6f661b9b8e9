import { type CallContext, type NodeRecord } from '@tenure/contracts';
import { type Logger } from '@tenure/process';
import {
  type PowerTransition,
  powerTransitionOf,
  type ProvisionTransition,
  provisionTransitionOf,
} from '../domain/transitions-seen.js';
import { type LockedNode } from '../ports/inventory-port.js';

/** Where transitions are counted. */
export interface TransitionMetrics {
  readonly provision: (transition: ProvisionTransition) => void;
  readonly power: (transition: PowerTransition) => void;
}

export interface TransitionWatchOptions {
  readonly conductor: string;
  readonly logger: Logger;
  readonly metrics: TransitionMetrics;
}

/**
 * Sees every write that this conductor made to a node.
 * @param earlier the node before the write, when this conductor had read it
 */
export type TransitionWatch = (
  context: CallContext,
  written: LockedNode,
  earlier?: NodeRecord,
) => void;

/** Logs and counts the transitions among the writes: one line for each. */
export const createTransitionWatch =
  ({ conductor, logger, metrics }: TransitionWatchOptions): TransitionWatch =>
  ({ request_id: requestId }, { node, previous }, earlier) => {
    const about = { node: node.uuid, conductor, request_id: requestId };
    const provision = provisionTransitionOf(previous, node, earlier);
    if (provision !== undefined) {
      const { durationMs, ...states } = provision;
      logger.info({ ...about, ...states, duration_ms: durationMs }, 'provision transition');
      metrics.provision(provision);
    }
    const power = powerTransitionOf(previous, node);
    if (power !== undefined) {
      logger.info({ ...about, ...power }, 'power transition');
      metrics.power(power);
    }
  };
