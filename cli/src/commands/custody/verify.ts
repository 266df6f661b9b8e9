import { existsSync, readFileSync } from 'node:fs';
import {
  custodyKeyFile,
  type CustodyFinding,
  publicKeyFileBeside,
  publicKeysOf,
  type VerifiedCustody,
  verifyCustody,
} from '@tenure/decision-log';
import { type Command } from 'commander';
import { type CommandContext } from '../../terminal/command-context.js';
import { ExitStatus } from '../../terminal/exit-status.js';
import { printable } from '../../terminal/printable.js';
import { type InventoryClient, type InventoryOptions, withInventory } from '../inventory-client.js';
import { dataDirOption, inventoryUrlOption } from '../inventory-options.js';
import { type NodeRecords, nodesOf, publicKeysIn, recordsOf } from './custody-client.js';
import { nodeTitle } from './handover-text.js';

interface VerifyOptions extends InventoryOptions {
  readonly all?: true;
  readonly key?: string;
  readonly json?: true;
}

type Keys = ReturnType<typeof publicKeysOf>;

interface Checked extends Omit<VerifiedCustody, 'findings'> {
  readonly node: NodeRecords['node'];
  readonly head: NodeRecords['head'];
  readonly findings: readonly (
    | CustodyFinding
    | (Omit<CustodyFinding, 'kind'> & { readonly kind: 'malformed' })
  )[];
}

const BROKEN = 1;

/** `tenure custody verify`: whether the record of handovers is unchanged. */
export function addVerifyCommand(custody: Command, context: CommandContext): void {
  custody
    .command('verify')
    .description(
      'check that no handover was edited, removed, moved, cut off, or signed by another key',
    )
    .argument('[node]', 'name or UUID')
    .option('--all', 'every node')
    .option(
      '--key <file>',
      'PEM file with the public keys that signed; default keys/custody/public.pem below the data directory, or else what the inventory has',
    )
    .option('--json', 'one JSON document on stdout')
    .addOption(inventoryUrlOption(context.env))
    .addOption(dataDirOption(context.env))
    .addHelpText(
      'after',
      `
Exit status: 0 every record is as it was written; 1 something is not, and stdout says which record; 2 it could not be checked.
Keep the line of the last handover elsewhere: a store that was set back as a whole, node and records alike, shows only against it.

Examples:
  tenure custody verify rack1-u01
  tenure custody verify --all --key custody-public.pem
  tenure custody verify --all --json | jq '.nodes[] | select(.findings != [])'`,
    )
    .action((ident: string | undefined, options: VerifyOptions) => verify(ident, options, context));
}

async function verify(
  ident: string | undefined,
  options: VerifyOptions,
  context: CommandContext,
): Promise<void> {
  const results = await checkAll(ident, options, context);
  const ok = results.every(({ findings }) => findings.length === 0);
  if (options.json === true) context.stdout.json({ ok, nodes: results });
  if (!ok) throw new ExitStatus(BROKEN);
}

const checkAll = async (
  ident: string | undefined,
  options: VerifyOptions,
  { stdout, stderr }: CommandContext,
): Promise<readonly Checked[]> =>
  withInventory(options, async (client) => {
    const idents = await nodesToCheck(ident, options, client);
    const { keys, from } = await keysFor(options, client);
    if (options.key === undefined && from === 'the inventory')
      stderr.line('tenure: the public keys are those that the inventory gave; --key names others');
    const results: Checked[] = [];
    for (const one of idents) {
      const result = await checkedTwice(client, one, keys);
      results.push(result);
      if (options.json !== true) stdout.lines(nodeLines(result));
    }
    return results;
  });

function nodesToCheck(
  ident: string | undefined,
  { all }: VerifyOptions,
  client: InventoryClient,
): Promise<readonly string[]> {
  if ((ident === undefined) === (all === undefined)) throw new Error('name one node, or say --all');
  return ident === undefined ? nodesOf(client) : Promise.resolve([ident]);
}

/** The keys of the named file, or of the data directory; without either, the keys that the inventory publishes. */
async function keysFor(
  { key, dataDir }: VerifyOptions,
  client: InventoryClient,
): Promise<{ readonly keys: Keys; readonly from: string }> {
  const file = key ?? publicKeyFileBeside(custodyKeyFile(dataDir));
  return key !== undefined || existsSync(file)
    ? { keys: publicKeysOf(readFileSync(file, 'utf8')), from: file }
    : { keys: publicKeysOf(await publicKeysIn(client)), from: 'the inventory' };
}

/** A handover that completes while a node is read looks like corruption; only a corrupt record still does when read again. */
async function checkedTwice(client: InventoryClient, ident: string, keys: Keys): Promise<Checked> {
  const first = checked(await recordsOf(client, ident), keys);
  return first.findings.length === 0 ? first : checked(await recordsOf(client, ident), keys);
}

const nodeLines = ({ node, completed, open, head, findings }: Checked): readonly string[] => [
  `${nodeTitle(node)}: ${String(completed)} handover${completed === 1 ? '' : 's'}${open > 0 ? `, ${String(open)} under way` : ''}, ${
    findings.length === 0 ? 'as they were written' : `${String(findings.length)} findings`
  }${head.digest === null ? '' : `; the last is ${String(head.count)}, ${printable(head.digest)}`}`,
  ...findings.map(findingLine),
];

function checked({ node, head, open, records, malformed }: NodeRecords, keys: Keys): Checked {
  const verified = verifyCustody({ nodeUuid: node.uuid, records, head, open }, keys);
  const findings = malformed.map((handover) => ({
    kind: 'malformed' as const,
    node_uuid: node.uuid,
    handover,
    number: null,
    about: 'the record does not have the form of one',
  }));
  return { ...verified, node, head, findings: [...findings, ...verified.findings] };
}

const findingLine = ({ kind, about, handover, number }: Checked['findings'][number]): string =>
  [
    `  ${kind}: ${printable(about)}`,
    ...(number === null ? [] : [`handover ${String(number)}`]),
    ...(handover === null ? [] : [printable(handover)]),
  ].join(', ');
