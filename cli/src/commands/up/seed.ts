import { loadDocument } from '../import.js';
import { type InventoryClient, type InventoryOptions, withInventory } from '../inventory-client.js';
import { DEMO_FLEET } from './demo-fleet.js';

/** Loads the demo fleet through an open client, unless there are nodes. Returns what was done. */
export async function seedThrough(client: InventoryClient): Promise<string> {
  if (!isEmptyInventory(await client.call('GET', '/internal/export?section=nodes&limit=1')))
    return 'kept as it was';
  const done = await loadDocument(client, DEMO_FLEET, () => undefined);
  return `seeded with ${String(done['nodes'])} demo nodes`;
}

/**
 * Loads the demo fleet into an inventory that has no nodes yet. Returns what was done.
 * @throws Error when the inventory does not answer
 */
export const seedDemoFleet = (options: InventoryOptions): Promise<string> =>
  withInventory(options, seedThrough);

const isEmptyInventory = (page: unknown): boolean =>
  typeof page === 'object' &&
  page !== null &&
  'rows' in page &&
  Array.isArray(page.rows) &&
  page.rows.length === 0;
