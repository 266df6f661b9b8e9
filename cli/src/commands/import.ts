import { readFileSync } from 'node:fs';
import { type CommandContext } from '../terminal/command-context.js';
import { batchesOf, documentOf, type InventoryDocument } from './document.js';
import { type InventoryClient, type InventoryOptions, withInventory } from './inventory-client.js';

const BATCH_ROWS = 500;
const STDIN = 0;

/** Loads a document through an open client; calls `progress` after every batch. Returns the rows loaded by section. */
export async function loadDocument(
  client: InventoryClient,
  document: InventoryDocument,
  progress: (section: string, done: number) => void,
): Promise<Readonly<Record<string, number>>> {
  const done: Record<string, number> = {};
  for (const [section, rows] of batchesOf(document, BATCH_ROWS)) {
    await client.call('POST', '/internal/import', { [section]: rows });
    done[section] = (done[section] ?? 0) + rows.length;
    progress(section, done[section]);
  }
  return done;
}

/** `tenure import FILE`: loads an inventory document while the services run. */
export async function importInventory(
  file: string,
  options: InventoryOptions,
  context: CommandContext,
): Promise<void> {
  const document = readDocument(file);
  const done = await withInventory(options, (client) =>
    loadDocument(client, document, (section, rows) => {
      context.stderr.line(
        `imported ${String(rows)} of ${String(document[section as 'nodes']?.length ?? 0)} ${section}`,
      );
    }),
  );
  const summary = Object.entries(done)
    .map(([section, rows]) => `${String(rows)} ${section}`)
    .join(', ');
  context.stdout.line(`imported ${summary === '' ? 'nothing' : summary}`);
}

function readDocument(file: string): InventoryDocument {
  const text = readFileSync(file === '-' ? STDIN : file, 'utf8');
  try {
    return documentOf(JSON.parse(text));
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : 'not JSON'}`, {
      cause: error,
    });
  }
}
