import path from 'node:path';
import { createServiceClient, type ServiceCall } from '@tenure/http';
import { loadContextKeys, newCallContext } from '@tenure/signed-context';

export interface InventoryOptions {
  readonly inventoryUrl: string;
  readonly dataDir: string;
}

/** A client of the inventory's `/internal/…` routes, as the caller `cli`. */
export interface InventoryClient {
  readonly call: (
    method: ServiceCall['method'],
    target: string,
    body?: unknown,
  ) => Promise<unknown>;
}

const DEADLINE_MS = 60_000;

/** A page of a list, and the marker of the next page; null when it is the last. */
export interface InventoryPage<Row> {
  readonly rows: readonly Row[];
  readonly next: string | null;
}

/**
 * Runs a command with a client, which is closed afterwards. All of its calls have one request id.
 * @throws Error when the key directory of the cli is missing: the services were never started from this data directory
 */
export async function withInventory<T>(
  options: InventoryOptions,
  use: (client: InventoryClient) => Promise<T>,
): Promise<T> {
  const service = createServiceClient({
    part: 'inventory',
    baseUrl: options.inventoryUrl,
    keys: loadContextKeys(path.join(options.dataDir, 'keys', 'cli'), 'cli'),
    deadlineMs: DEADLINE_MS,
    connections: 2,
  });
  const context = newCallContext('tenure:inventory:operate');
  const call: InventoryClient['call'] = (method, target, body) =>
    service.call({ method, target, ...(body !== undefined && { body }), context });
  try {
    return await use({ call });
  } finally {
    await service.close();
  }
}

/**
 * The rows of all pages of a list.
 * @param query without the marker
 * @param read takes a page apart
 */
export async function allRows<Row>(
  { call }: InventoryClient,
  route: string,
  query: Readonly<Record<string, string>>,
  read: (answer: unknown) => InventoryPage<Row>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const parameters = new URLSearchParams(query);
  for (;;) {
    const { rows: found, next } = read(await call('GET', `${route}?${parameters.toString()}`));
    rows.push(...found);
    if (next === null) return rows;
    parameters.set('marker', next);
  }
}
