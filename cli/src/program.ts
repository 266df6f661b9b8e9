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
import { type Streams, type Surroundings, surroundingsOn } from './terminal/surroundings.js';

/** The `tenure` command line. */
export function createProgram(streams: Streams): Command {
  const around = surroundingsOn(streams);
  const program = new Command('tenure')
    .description('Tenure: who may do what with which bare-metal machine')
    .showHelpAfterError('(add --help for the options)')
    // Options of a command end where its subcommand begins: both `token` and `token revoke` have --user.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        around.stdout.text(text);
      },
      writeErr: (text) => {
        around.stderr.text(text);
      },
    });
  addTokenCommand(program, around);
  addInventoryCommands(program, around);
  addStoreCommands(program, around);
  addSetupCommands(program, around);
  addPolicyCommands(program, around);
  addDecisionCommands(program, around);
  addCustodyCommands(program, around);
  addClaimCommands(program, around);
  addQuotaCommands(program, around);
  program
    .command('up')
    .description('run every part on loopback, in the foreground, until Ctrl-C')
    .action(() => up(around));
  return program;
}

function addTokenCommand(program: Command, around: Surroundings): void {
  const token = program.command('token');
  token
    .description('print a development token, and nothing else')
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
    .addOption(dataDirOption(around.env))
    .action((options: Parameters<typeof printToken>[0]) => {
      printToken(options, around.stdout);
    });
  token
    .command('revoke')
    .description(
      'refuse tokens from now on, on every gateway; several of --audit-id, --user and --project must all be true of a token',
    )
    .option('--token-file <file>', 'this very token; - for standard input')
    .option('--audit-id <id>', 'audit id of a Keystone token, or jti of another')
    .option('--user <id>', 'tokens of this user that were issued until now')
    .option('--project <id>', 'tokens for this project that were issued until now')
    .option('--keep <duration>', 'how long the entry is kept: no token lives longer', '30d')
    .addOption(
      new Option(
        '--redis-url <url>',
        'where the gateways share the list, in place of REDIS_URL or REDIS_URL_FILE',
      ),
    )
    .addOption(dataDirOption(around.env))
    .action((options: Parameters<typeof revokeToken>[0]) => revokeToken(options, around));
}

function addInventoryCommands(program: Command, around: Surroundings): void {
  program
    .command('import')
    .description(
      'load an inventory document {nodes: […], ports: […], …}; safe to repeat, replaces by uuid',
    )
    .argument('<file>', 'JSON file, or - for standard input')
    .addOption(inventoryUrlOption(around.env))
    .addOption(dataDirOption(around.env))
    .action((file: string, options: Parameters<typeof importInventory>[1]) =>
      importInventory(file, options, around),
    );
  program
    .command('export')
    .description('write the whole inventory as a document that import takes, secrets included')
    .option(
      '--out <file>',
      'file to write, readable by its owner only; standard output when absent',
    )
    .addOption(inventoryUrlOption(around.env))
    .addOption(dataDirOption(around.env))
    .action((options: Parameters<typeof exportInventory>[0]) => exportInventory(options, around));
}

/** Adds the commands for the store: backup, restore, migrate. */
function addStoreCommands(program: Command, around: Surroundings): void {
  program
    .command('backup')
    .description('copy the embedded store as it is at one moment, while Tenure runs')
    .argument('<file>', 'file to make, readable by its owner only')
    .addOption(dataDirOption(around.env))
    .action((file: string, options: Parameters<typeof backup>[1]) => {
      backup(file, options, around);
    });
  program
    .command('restore')
    .description(
      'put a backup in the place of the embedded store while the inventory is stopped, and end every decision and lock made before',
    )
    .argument('<file>', 'what `tenure backup` made')
    .option('--wait <seconds>', 'how long to wait for another process that migrates', '600')
    .addOption(dataDirOption(around.env))
    .action((file: string, options: Parameters<typeof restore>[1]) =>
      restore(file, options, around),
    );
  program
    .command('migrate')
    .description(
      'bring the store of the inventory (MONGODB_URI or MONGODB_URI_FILE, or else the embedded one) to the version of this release; forward only, safe to repeat, safe to run twice at once',
    )
    .option('--check', 'change nothing; exit status 1 when something is to be done, and say what')
    .addOption(
      new Option(
        '--restored',
        'after a backup was restored: accept a store that is older than the data directory remembers, or another, and end every decision and lock made before',
      ).conflicts('check'),
    )
    .addOption(
      new Option(
        '--empty',
        'begin with an empty store where the data directory remembers one with data',
      ).conflicts(['check', 'restored']),
    )
    .option('--json', 'one JSON object a line instead of text')
    .option('--wait <seconds>', 'how long to wait for another process that migrates', '600')
    .addOption(dataDirOption(around.env))
    .addHelpText(
      'after',
      '\nExit status: 0 the store is at the version of this release; 1 with --check: something is to be done;\n2 it could not be done (wrong options, no store, a store of a newer release or one that the data directory does not know, another did not finish).',
    )
    .action((options: Parameters<typeof migrate>[0]) => migrate(options, around));
}

/** Adds the commands for a first start without `tenure up`: init and seed. */
function addSetupCommands(program: Command, around: Surroundings): void {
  program
    .command('init')
    .description(
      'make what is missing of the secrets that the parts share, below keys/ of the data directory; safe to repeat',
    )
    .addOption(dataDirOption(around.env))
    .action(({ dataDir }: { readonly dataDir: string }) => {
      ensureSecrets(dataDir);
    });
  program
    .command('seed')
    .description('load the demo fleet, unless the inventory has nodes')
    .addOption(inventoryUrlOption(around.env))
    .addOption(dataDirOption(around.env))
    .action(async (options: Parameters<typeof seedDemoFleet>[0]) => {
      around.stdout.line(`inventory ${await seedDemoFleet(options)}`);
    });
}

const collect = (value: string, all: readonly string[]): readonly string[] => [...all, value];
