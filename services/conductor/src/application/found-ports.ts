import { AppError } from '@tenure/contracts';
import { type Logger } from '@tenure/process';
import { type NodePorts } from '../ports/node-ports.js';
import { type FoundPort } from '../ports/provisioning.js';
import { type LockedWork, withInventoryRetry } from './locked-write.js';

/**
 * Creates the ports that an inspection found and the node does not have yet. A port that another node has is logged and
 * left there: a BMC cannot say which node owns it.
 */
export async function keepFoundPorts(
  { lock, deadline }: LockedWork,
  found: readonly FoundPort[],
  { ports, logger }: { readonly ports: NodePorts; readonly logger: Logger },
): Promise<void> {
  if (found.length === 0) return;
  const { uuid, proof } = lock;
  const existing = await withInventoryRetry(
    () => ports.list(lock.context(), uuid, 'ports'),
    deadline,
  );
  const has = new Set(existing.map(({ address }) => address));
  for (const port of found.filter(({ address }) => !has.has(address)))
    try {
      await withInventoryRetry(
        () => ports.create(lock.context(), uuid, { ...proof, ...port }),
        deadline,
      );
    } catch (error) {
      if (!isTaken(error)) throw error;
      // An answer that was lost may have created it on this very node: then it is no stranger's, and all is well.
      logger.warn(
        { node: uuid, address: port.address },
        'a port with an address of this machine exists already; none was created',
      );
    }
}

const isTaken = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'duplicate';
