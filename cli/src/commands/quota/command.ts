import { type Command, Option } from 'commander';
import { type CommandContext } from '../../terminal/command-context.js';
import { dataDirOption, inventoryUrlOption } from '../inventory-options.js';
import { setQuota, showQuota } from './quota.js';

/** Adds `tenure quota …`: the budgets of projects and users (docs/quotas.md). */
export function addQuotaCommands(program: Command, context: CommandContext): void {
  const quota = program
    .command('quota')
    .description('how much projects and users may store, and have stored');
  addShowCommand(quota, context);
  addSetCommand(quota, context);
}

function addShowCommand(quota: Command, context: CommandContext): void {
  quota
    .command('show')
    .description('show what a project has stored, and its limits')
    .argument('[project]', 'id of the project')
    .option('--user <id>', 'a user, who has a budget of key pairs')
    .option('--default', 'the default limits of all projects')
    .addOption(
      new Option('--all', 'every project and user with stored records').conflicts([
        'user',
        'default',
      ]),
    )
    .option('--json', 'JSON instead of a table')
    .addOption(inventoryUrlOption(context.env))
    .addOption(dataDirOption(context.env))
    .addHelpText(
      'after',
      '\nExample: tenure quota show 3f1c\n         tenure quota show --all --json',
    )
    .action((project: string | undefined, options: Parameters<typeof showQuota>[1]) =>
      showQuota(project, options, context),
    );
}

function addSetCommand(quota: Command, context: CommandContext): void {
  quota
    .command('set')
    .description('set limits of a project or a user, or the default of all projects')
    .argument(
      '<limits...>',
      'PROJECT NAME=VALUE…, or NAME=VALUE… with --user or --default; a value is a number (64M for bytes), unlimited or default',
    )
    .option('--user <id>', 'a user, who has a budget of key pairs')
    .option('--default', 'the default limits of all projects')
    .option('--json', 'JSON instead of a table')
    .addOption(inventoryUrlOption(context.env))
    .addOption(dataDirOption(context.env))
    .addHelpText(
      'after',
      '\nExample: tenure quota set 3f1c allocations=50 bytes=16M\n         tenure quota set --default servers=200\n         tenure quota set 3f1c servers=default',
    )
    .action((args: readonly string[], options: Parameters<typeof setQuota>[1]) =>
      setQuota(args, options, context),
    );
}
