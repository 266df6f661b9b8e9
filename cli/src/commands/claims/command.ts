import { type Command, Option } from 'commander';
import { type CommandContext } from '../../terminal/command-context.js';
import { dataDirOption, inventoryUrlOption } from '../inventory-options.js';
import { listClaims, releaseClaims, showClaim } from './claims.js';

const KINDS = ['vif', 'volume', 'connector'] as const;

/** Adds `tenure claims …`: the projects of resources of other services (docs/claims.md). */
export function addClaimCommands(program: Command, context: CommandContext): void {
  const claims = program
    .command('claims')
    .description(
      'record which project owns a VIF, volume or initiator, where no other service says so',
    );
  addListCommand(claims, context);
  addShowCommand(claims, context);
  addReleaseCommand(claims, context);
}

function addListCommand(claims: Command, context: CommandContext): void {
  claims
    .command('list')
    .description('list VIFs, volumes and initiators with their project and what uses them')
    .addOption(kindOption())
    .option('--project <id>', 'only those of this project')
    .option('--unused', 'only those that nothing uses: any project may use them now')
    .option('--json', 'JSON instead of a table')
    .addOption(inventoryUrlOption(context.env))
    .addOption(dataDirOption(context.env))
    .addHelpText('after', '\nExample: tenure claims list --kind volume --project 3f1c')
    .action((options: Parameters<typeof listClaims>[0]) => listClaims(options, context));
}

function addShowCommand(claims: Command, context: CommandContext): void {
  claims
    .command('show')
    .description('show the project of one resource, and what uses it')
    .argument('<kind>', KINDS.join(', '))
    .argument('<id>', 'id of the resource, in any spelling')
    .option('--json', 'JSON instead of lines')
    .addOption(inventoryUrlOption(context.env))
    .addOption(dataDirOption(context.env))
    .addHelpText('after', '\nExample: tenure claims show vif 7d0f2c1e-6a0b-4c5d-8e9f-0a1b2c3d4e5f')
    .action((kind: string, id: string, options: Parameters<typeof showClaim>[1]) =>
      showClaim({ kind, id }, options, context),
    );
}

function addReleaseCommand(claims: Command, context: CommandContext): void {
  claims
    .command('release')
    .description(
      'delete the claim of a resource; one in use goes to the project that has the machine, and needs --force',
    )
    .argument('[kind]', KINDS.join(', '))
    .argument('[id]', 'id of the resource, in any spelling')
    .option('--force', 'also when the resource is in use')
    .addOption(
      new Option('--unused', 'every claim of a resource that nothing uses').conflicts('force'),
    )
    .addOption(inventoryUrlOption(context.env))
    .addOption(dataDirOption(context.env))
    .addHelpText(
      'after',
      '\nExample: tenure claims release volume vol-1\n         tenure claims release --unused',
    )
    .action(
      (
        kind: string | undefined,
        id: string | undefined,
        options: Parameters<typeof releaseClaims>[1],
      ) => releaseClaims({ kind, id }, options, context),
    );
}

const kindOption = (): Option => new Option('--kind <kind>', 'only of this kind').choices(KINDS);
