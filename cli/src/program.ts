import { Command, Option } from 'commander';
import { backup } from './commands/backup.js';
import { addClaimCommands } from './commands/claims/command.js';
import { addCustodyCommands } from './commands/custody/command.js';
import { addDecisionCommands } from './commands/decisions/command.js';
import { exportInventory } from './commands/export.js';
import { importInventory } from './commands/import.js';
import { dataDirOption, inventoryUrlOption } from './commands/inventory-options.js';
import { migrate } from './commands/migrate.js';
import { addPolicyCommands } from './commands/policy/command.js';
import { addQuotaCommands } from './commands/quota/command.js';
import { restore } from './commands/restore.js';
import { revokeToken } from './commands/token-revoke.js';
import { printToken } from './commands/token.js';
import { ensureSecrets } from './commands/up/secrets.js';
import { seedDemoFleet } from './commands/up/seed.js';
import { up } from './commands/up/up.js';
import { type Streams, type CommandContext, commandContextOn } from './terminal/command-context.js';

/** The `tenure` command line. */
export function createProgram(streams: Streams): Command {
  const context = commandContextOn(streams);
  const program = new Command('tenure')
    .description('Tenure: who may do what with which bare-metal machine')
    .showHelpAfterError('(add --help for the options)')
    // Options of a command end where its subcommand begins: both `token` and `token revoke` have --user.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        context.stdout.text(text);
      },
      writeErr: (text) => {
        context.stderr.text(text);
      },
    });
  addTokenCommand(program, context);
  addInventoryCommands(program, context);
  addStoreCommands(program, context);
  addSetupCommands(program, context);
  addPolicyCommands(program, context);
  addDecisionCommands(program, context);
  addCustodyCommands(program, context);
  addClaimCommands(program, context);
  addQuotaCommands(program, context);
  program
    .command('up')
    .description('run every part on loopback, in the foreground, until Ctrl-C')
    .action(() => up(context));
  return program;
}

function addTokenCommand(program: Command, context: CommandContext): void {
  const token = program.command('token');
  token
    .description('print a development token and no other output')
    .option('--user <id>', 'user id')
    .addOption(
      new Option('--project <id>', 'project scope').conflicts(['system', 'domain', 'unscoped']),
    )
    .addOption(
      new Option('--system <scope>', 'system scope')
        .choices(['all'])
        .conflicts(['domain', 'unscoped']),
    )
    .addOption(new Option('--domain <id>', 'domain scope').conflicts('unscoped'))
    .option('--unscoped', 'no scope at all')
    .option('--role <role...>', 'role; repeat for several', collect, [])
    .option('--project-name <name>', 'name of the project, as in a token of Keystone')
    .option(
      '--project-domain <id>',
      'id of the domain of the project (with --project-name: default)',
    )
    .option('--ttl <duration>', 'life of the token, for example 90s, 30m, 1h, 7d', '1h')
    .addOption(dataDirOption(context.env))
    .action((options: Parameters<typeof printToken>[0]) => {
      printToken(options, context.stdout);
    });
  token
    .command('revoke')
    .description(
      'revoke tokens on every gateway; with several of --audit-id, --user and --project a token must match all',
    )
    .option('--token-file <file>', 'file with the token; - for standard input')
    .option('--audit-id <id>', 'audit id of a Keystone token, or jti of another')
    .option('--user <id>', 'tokens of this user that were issued until now')
    .option('--project <id>', 'tokens for this project that were issued until now')
    .option('--keep <duration>', 'how long the entry is kept: no token lives longer', '30d')
    .addOption(
      new Option(
        '--redis-url <url>',
        'Redis in which the gateways share the list, instead of REDIS_URL or REDIS_URL_FILE',
      ),
    )
    .addOption(dataDirOption(context.env))
    .action((options: Parameters<typeof revokeToken>[0]) => revokeToken(options, context));
}

function addInventoryCommands(program: Command, context: CommandContext): void {
  program
    .command('import')
    .description(
      'load an inventory document {nodes: […], ports: […], …}; safe to repeat, replaces by uuid',
    )
    .argument('<file>', 'JSON file, or - for standard input')
    .addOption(inventoryUrlOption(context.env))
    .addOption(dataDirOption(context.env))
    .action((file: string, options: Parameters<typeof importInventory>[1]) =>
      importInventory(file, options, context),
    );
  program
    .command('export')
    .description('write the whole inventory as a document that import takes, secrets included')
    .option(
      '--out <file>',
      'file to write, readable by its owner only; standard output when absent',
    )
    .addOption(inventoryUrlOption(context.env))
    .addOption(dataDirOption(context.env))
    .action((options: Parameters<typeof exportInventory>[0]) => exportInventory(options, context));
}

/** Adds the commands for the store: backup, restore, migrate. */
function addStoreCommands(program: Command, context: CommandContext): void {
  program
    .command('backup')
    .description('copy a consistent snapshot of the embedded store, while Tenure runs')
    .argument('<file>', 'file to create, readable by its owner only')
    .addOption(dataDirOption(context.env))
    .action((file: string, options: Parameters<typeof backup>[1]) => {
      backup(file, options, context);
    });
  program
    .command('restore')
    .description(
      'replace the embedded store by a backup while the inventory is stopped, and invalidate all earlier decisions and locks',
    )
    .argument('<file>', 'a backup of `tenure backup`')
    .option('--wait <seconds>', 'how long to wait for another process that migrates', '600')
    .addOption(dataDirOption(context.env))
    .action((file: string, options: Parameters<typeof restore>[1]) =>
      restore(file, options, context),
    );
  program
    .command('migrate')
    .description(
      'bring the store of the inventory (MONGODB_URI or MONGODB_URI_FILE, or else the embedded one) to the version of this release; forward only, safe to repeat, safe to run twice at once',
    )
    .option(
      '--check',
      'change nothing; list the pending migrations, with exit status 1 when there are any',
    )
    .addOption(
      new Option(
        '--restored',
        'after a backup was restored: accept a store that is older than the data directory has recorded, or another one, and invalidate all earlier decisions and locks',
      ).conflicts('check'),
    )
    .addOption(
      new Option(
        '--empty',
        'start with an empty store although the data directory has recorded one with data',
      ).conflicts(['check', 'restored']),
    )
    .option('--json', 'one JSON object a line instead of text')
    .option('--wait <seconds>', 'how long to wait for another process that migrates', '600')
    .addOption(dataDirOption(context.env))
    .addHelpText(
      'after',
      '\nExit status: 0 the store is at the version of this release; 1 with --check: migrations are pending;\n2 it could not be done (wrong options, no store, a store of a newer release or an unexpected one, another migration did not finish).',
    )
    .action((options: Parameters<typeof migrate>[0]) => migrate(options, context));
}

/** Adds the commands for a first start without `tenure up`: init and seed. */
function addSetupCommands(program: Command, context: CommandContext): void {
  program
    .command('init')
    .description(
      'create the missing secrets that the parts share, below keys/ of the data directory; safe to repeat',
    )
    .addOption(dataDirOption(context.env))
    .action(({ dataDir }: { readonly dataDir: string }) => {
      ensureSecrets(dataDir);
    });
  program
    .command('seed')
    .description('load the demo fleet, unless the inventory has nodes')
    .addOption(inventoryUrlOption(context.env))
    .addOption(dataDirOption(context.env))
    .action(async (options: Parameters<typeof seedDemoFleet>[0]) => {
      context.stdout.line(`inventory ${await seedDemoFleet(options)}`);
    });
}

const collect = (value: string, all: readonly string[]): readonly string[] => [...all, value];
