import { type Command } from 'commander';
import { type CommandContext } from '../../terminal/command-context.js';
import { type InventoryOptions, withInventory } from '../inventory-client.js';
import { dataDirOption, inventoryUrlOption } from '../inventory-options.js';
import { recordsOf } from './custody-client.js';
import { recordsLines } from './handover-text.js';

interface ShowOptions extends InventoryOptions {
  readonly json?: true;
}

/** `tenure custody show`: how a node passed from one tenancy to the next. */
export function addShowCommand(custody: Command, context: CommandContext): void {
  custody
    .command('show')
    .description('show how a node passed from one tenancy to the next, the oldest handover first')
    .argument('<node>', 'name or UUID')
    .option('--json', 'whole records as one JSON document, with what former tenants had written')
    .addOption(inventoryUrlOption(context.env))
    .addOption(dataDirOption(context.env))
    .addHelpText(
      'after',
      `
Without --json, fields that a former tenant wrote are listed without their values.

Examples:
  tenure custody show rack1-u01
  tenure custody show rack1-u01 --json | jq '.handovers[] | {number, cause, from_project, to_project}'`,
    )
    .action((ident: string, options: ShowOptions) => show(ident, options, context));
}

async function show(
  ident: string,
  options: ShowOptions,
  { stdout }: CommandContext,
): Promise<void> {
  const found = await withInventory(options, (client) => recordsOf(client, ident));
  const { records: handovers, open: handover_uuid, ...rest } = found;
  stdout.answer({
    json: options.json,
    document: { ...rest, handover_uuid, handovers },
    lines: () => recordsLines(found),
  });
}
