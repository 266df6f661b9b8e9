import path from 'node:path';
import { createServiceClient, type ServiceCall } from '@tenure/http';
import { loadContextKeys, newCallContext } from '@tenure/signed-context';

export interface InventoryOptions {
  readonly inventoryUrl: string;
  readonly dataDir: string;
}

/** A caller of the inventory's `/internal/…` routes as `cli`. Close it when done. */
export interface InventoryClient {
  readonly call: (
    method: ServiceCall['method'],
    target: string,
    body?: unknown,
  ) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

const DEADLINE_MS = 60_000;

/**
 * @param requestId goes into the inventory's log
 * @throws Error when the key directory of the cli is missing: the services were never started from this data directory
 */
export const openInventory = (options: InventoryOptions, requestId: string): InventoryClient => {
  const keys = loadContextKeys(path.join(options.dataDir, 'keys', 'cli'), 'cli');
  const client = createServiceClient({
    part: 'inventory',
    baseUrl: options.inventoryUrl,
    keys,
    deadlineMs: DEADLINE_MS,
    connections: 2,
  });
  const call: InventoryClient['call'] = (method, target, body) =>
    client.call({
      method,
      target,
      ...(body !== undefined && { body }),
      context: newCallContext('tenure:inventory:operate', { request_id: requestId }),
    });
  return { call, close: client.close };
};
