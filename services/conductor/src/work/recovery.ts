import { type NodeRecord } from '@tenure/contracts';
import { type Logger } from '@tenure/process';
import { pendingOf } from '../domain/power.js';
import { type InventoryPort } from '../ports/inventory-port.js';
import { ownBehalf } from './behalf.js';
import { eachNode } from './each-node.js';
import { type NodeLocks } from './node-locks.js';
import { type PowerWork } from './power-work.js';

export interface RecoveryOptions {
  readonly inventory: InventoryPort;
  readonly locks: NodeLocks;
  readonly power: PowerWork;
  readonly holder: string;
  readonly logger: Logger;
}

/**
 * Finds the nodes that an earlier life of this conductor reserved. Those with a target are resumed, the others released:
 * what they were reserved for ended with the request. Throws when the inventory does not answer.
 */
export const recover = async ({
  inventory,
  locks,
  power,
  holder,
  logger,
}: RecoveryOptions): Promise<void> => {
  const behalf = ownBehalf('tenure:conductor:recover');
  await eachNode(inventory, behalf, async (node: NodeRecord) => {
    if (node.reservation !== holder || locks.isHeld(node.uuid)) return;
    const lock = locks.adopt(behalf, node);
    const pending = pendingOf(node);
    logger.info(
      { node: node.uuid, target: pending?.target ?? null },
      'resuming a node that was left reserved',
    );
    if (pending !== undefined) power.resume(lock, pending);
    else
      await lock.release({}).catch((error: unknown) => {
        logger.warn(
          { node: node.uuid, err: error },
          'a node left reserved could not be released yet',
        );
      });
  });
};
