/** The sections of an inventory document, in the order in which they are loaded. */
export const SECTIONS = [
  'chassis',
  'nodes',
  'ports',
  'portgroups',
  'volume_connectors',
  'volume_targets',
  'allocations',
  'leases',
  'servers',
  'keypairs',
  'deploy_templates',
  'claims',
  'node_documents',
  'node_history',
  'quotas',
] as const;

export type Section = (typeof SECTIONS)[number];
export type InventoryDocument = Readonly<Partial<Record<Section, readonly unknown[]>>>;

/**
 * Checks the outer shape of a document; the inventory checks the rows.
 * @throws Error naming the section that is unknown or is not a list
 */
export function documentOf(value: unknown): InventoryDocument {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('an inventory document is an object with sections such as "nodes"');
  for (const [name, rows] of Object.entries(value)) {
    if (!isSection(name))
      throw new Error(`unknown section "${name}"; supported are ${SECTIONS.join(', ')}`);
    if (!Array.isArray(rows)) throw new Error(`section "${name}" is not a list`);
  }
  return value; // every section was just checked
}

/** Splits a document into one-section batches that the inventory takes in one request each. */
export function* batchesOf(
  document: InventoryDocument,
  size: number,
): Generator<readonly [Section, readonly unknown[]]> {
  for (const section of SECTIONS) {
    const rows = document[section] ?? [];
    for (let start = 0; start < rows.length; start += size)
      yield [section, rows.slice(start, start + size)];
  }
}

const isSection = (name: string): name is Section => (SECTIONS as readonly string[]).includes(name);
