import { type CallContext, type NodeRecord } from '@tenure/contracts';
import { type Logger } from '@tenure/process';
import { safeReason } from '../domain/driver-failure.js';
import { isPowerFault } from '../domain/power-fault.js';
import { type InventoryPort } from '../ports/inventory-port.js';
import { aboutNode } from './about-node.js';

export interface PowerOutagesOptions {
  readonly inventory: InventoryPort;
  readonly holder: string;
  readonly logger: Logger;
}

/** The nodes whose power cannot be read. Each outage is logged once when it begins and once when it ends. */
export interface PowerOutages {
  /** Counts a failure; resolves with how many there were in a row. */
  readonly failed: (context: CallContext, node: NodeRecord, error: unknown) => Promise<number>;
  readonly readable: (context: CallContext, node: NodeRecord) => Promise<void>;
  /** Nodes that could not be read at the last attempt. */
  readonly count: () => number;
  /** Forgets nodes that this conductor is no longer responsible for. */
  readonly keep: (seen: ReadonlySet<string>) => void;
}

export function createPowerOutages({
  inventory,
  holder,
  logger,
}: PowerOutagesOptions): PowerOutages {
  const failures = new Map<string, number>();
  const recordEvent = async (
    context: CallContext,
    node: NodeRecord,
    entry: { readonly severity: 'ERROR' | 'INFO'; readonly event: string },
  ): Promise<void> => {
    const event = { conductor: holder, event_type: 'power', ...entry };
    await inventory
      .recordEvent(aboutNode(context, node), node.uuid, event)
      .catch((error: unknown) => {
        logger.debug({ node: node.uuid, err: error }, 'an event could not be recorded');
      });
  };
  return {
    failed: async (context, node, error) => {
      const count = (failures.get(node.uuid) ?? 0) + 1;
      failures.set(node.uuid, count);
      const reason = safeReason(error);
      // For a node that is in maintenance because of it, the outage was logged already, perhaps by another conductor.
      if (count > 1 || isPowerFault(node)) return count;
      logger.warn({ node: node.uuid, err: error }, 'the power of the node cannot be read');
      await recordEvent(context, node, {
        severity: 'ERROR',
        event: `The power state could not be read. Error: ${reason}.`,
      });
      return count;
    },
    readable: async (context, node) => {
      if (!failures.delete(node.uuid)) return;
      logger.info({ node: node.uuid }, 'the power of the node can be read again');
      // The end of the maintenance is an event of its own.
      if (!isPowerFault(node))
        await recordEvent(context, node, {
          severity: 'INFO',
          event: 'The power state can be read again.',
        });
    },
    count: () => failures.size,
    keep: (seen) => {
      for (const uuid of failures.keys()) if (!seen.has(uuid)) failures.delete(uuid);
    },
  };
}
