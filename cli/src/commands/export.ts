import { writeFileSync } from 'node:fs';
import { Type } from '@sinclair/typebox';
import { parse } from '@tenure/contracts';
import { type CommandContext } from '../terminal/command-context.js';
import { printableJson } from '../terminal/printable.js';
import { SECTIONS } from './document.js';
import { allRows, type InventoryOptions, withInventory } from './inventory-client.js';

const PAGE_ROWS = 500;
const Page = Type.Object({
  rows: Type.Array(Type.Unknown()),
  next: Type.Union([Type.String(), Type.Null()]),
});

/** `tenure export`: the whole inventory as a document that `tenure import` restores. It holds BMC passwords. */
export async function exportInventory(
  options: InventoryOptions & { readonly out?: string },
  context: CommandContext,
): Promise<void> {
  const document: Record<string, readonly unknown[]> = {};
  await withInventory(options, async (client) => {
    for (const section of SECTIONS)
      document[section] = await allRows(
        client,
        '/internal/export',
        { section, limit: String(PAGE_ROWS) },
        (answer) => parse(Page, answer, 'export page'),
      );
  });
  const text = printableJson(document);
  if (options.out === undefined) context.stdout.file(text);
  else writeFileSync(options.out, text, { mode: 0o600 });
}
