import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { Type } from '@sinclair/typebox';
import { parse } from '@tenure/contracts';
import { printableJson } from '../terminal/printable.js';
import { type Surroundings } from '../terminal/surroundings.js';
import { type Section, SECTIONS } from './document.js';
import { type InventoryClient, type InventoryOptions, openInventory } from './inventory-client.js';

const PAGE_ROWS = 500;
const Page = Type.Object({
  rows: Type.Array(Type.Unknown()),
  next: Type.Union([Type.String(), Type.Null()]),
});

const exportSection = async (
  client: InventoryClient,
  section: Section,
): Promise<readonly unknown[]> => {
  const rows: unknown[] = [];
  let marker: string | null = '';
  while (marker !== null) {
    const after: string = marker === '' ? '' : `&marker=${encodeURIComponent(marker)}`;
    const page = parse(
      Page,
      await client.call(
        'GET',
        `/internal/export?section=${section}&limit=${String(PAGE_ROWS)}${after}`,
      ),
      'export page',
    );
    rows.push(...page.rows);
    marker = page.next;
  }
  return rows;
};

/** `tenure export`: the whole inventory as a document that `tenure import` restores. It holds BMC passwords. */
export const exportInventory = async (
  options: InventoryOptions & { readonly out?: string },
  around: Surroundings,
): Promise<void> => {
  const client = openInventory(options, `req-${randomUUID()}`);
  try {
    const document: Record<string, readonly unknown[]> = {};
    for (const section of SECTIONS) document[section] = await exportSection(client, section);
    const text = printableJson(document);
    if (options.out === undefined) around.stdout.file(text);
    else writeFileSync(options.out, text, { mode: 0o600 });
  } finally {
    await client.close();
  }
};
