import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { parseArgs } from 'node:util';
import { printable, printableText, seenJson } from '@tenure/contracts';
import { loadConfig, variableLines } from '@tenure/process';
import { admitEmpty, admitRestored, admitStore, markStore } from './application/admit-store.js';
import {
  LEAP,
  leapAfterRestore,
  migrateSchema,
  NewerSchemaError,
  type Progress,
  verdictOn,
} from './application/migrate-schema.js';
import { rewriteOf } from './application/rewrite-records.js';
import { type StoreConfig, STORE_VARIABLES } from './config-store.js';
import { SCHEMA_VERSION } from './domain/schema.js';
import { openConfiguredStore } from './open-store.js';
import { type ConfiguredStore } from './ports/open-store.js';
import { type SchemaStore } from './ports/schema-store.js';

const HELP = `Usage: migrate [--check | --restored | --empty] [--json] [--wait SECONDS] [--help]

Brings the store of the inventory to the version of this release. Forward only, safe to repeat and to run in several
processes at once.

  --check         changes nothing; prints what would be done
  --restored      after a backup was restored: accepts a store that is older than the data directory remembers, or
                  another; also ends every decision and lock made before
  --empty         begins with an empty store where the data directory remembers one with data
  --json          one JSON object a line instead of text
  --wait SECONDS  how long to wait for another process that migrates (600)

Environment (variable, default, meaning):
${variableLines(STORE_VARIABLES).join('\n')}

Exit status:
  0  the store is at the version of this release
  1  with --check: something is to be done
  2  it could not be done: wrong options or variables, no store, a store of a newer release or one that the data directory
     does not know, another process did not finish
`;

const DEFAULT_WAIT_SECONDS = 600;
const MAX_WAIT_SECONDS = 86_400;
const FAILED = 2;
/** Creating an index has no time limit. */
const NO_LIMIT = 0;

type Say = (line: Readonly<Record<string, unknown>>, text: string) => void;

interface Options {
  readonly check: boolean;
  readonly restored: boolean;
  readonly empty: boolean;
  readonly help: boolean;
  readonly waitSeconds: number;
  readonly say: Say;
}

const nothingToDo = (version: number): string =>
  `nothing to do: the store is at version ${String(version)}`;

const admitFor = ({ restored, empty }: Options) =>
  empty ? admitEmpty : restored ? admitRestored : admitStore;

try {
  process.exitCode = await main();
} catch (error) {
  // Only the message: other members of a driver's error may contain secrets.
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`migrate: ${printable(message)}\n`);
  process.exitCode = FAILED;
}

async function main(): Promise<number> {
  const options = optionsOf(process.argv.slice(2));
  if (options.help) {
    process.stdout.write(HELP);
    return 0;
  }
  return run(options, loadConfig(STORE_VARIABLES, process.env));
}

function optionsOf(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      check: { type: 'boolean', default: false },
      restored: { type: 'boolean', default: false },
      empty: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      wait: { type: 'string', default: String(DEFAULT_WAIT_SECONDS) },
    },
  });
  const waitSeconds = Number(values.wait);
  if (!Number.isInteger(waitSeconds) || waitSeconds < 0 || waitSeconds > MAX_WAIT_SECONDS)
    throw new Error(`--wait must be whole seconds from 0 to ${String(MAX_WAIT_SECONDS)}`);
  const { check, help, restored, empty } = values;
  if ([check, restored, empty].filter(Boolean).length > 1)
    throw new Error('--check, --restored and --empty exclude one another');
  const say: Say = (line, text) => {
    process.stdout.write(`${values.json ? seenJson(JSON.stringify(line)) : printableText(text)}\n`);
  };
  return { check, help, restored, empty, waitSeconds, say };
}

async function run(options: Options, config: StoreConfig): Promise<number> {
  const { check: isReadOnly } = options;
  const opened = await openConfiguredStore(config, {
    socketMs: NO_LIMIT,
    isReadOnly,
    admit: admitFor(options),
  });
  try {
    return isReadOnly
      ? await checkOnly(opened.schema, options.say)
      : await migrateNow(opened, options);
  } finally {
    await opened.stores.close();
  }
}

async function checkOnly(schema: SchemaStore, say: Say): Promise<number> {
  const verdict = await verdictOn(schema);
  if (verdict.kind === 'newer') throw new NewerSchemaError(verdict.version);
  const { version } = verdict;
  if (verdict.kind === 'current') {
    say({ event: 'checked', version, pending: [] }, nothingToDo(version));
    return 0;
  }
  const { isEmpty, pending } = verdict;
  const lines = [
    isEmpty
      ? 'the store is empty; to be done:'
      : `the store is at version ${String(version)}; to be done:`,
    ...pending.map(({ version: next, title, does }) => `  ${String(next)}  ${title}. ${does}`),
  ];
  say({ event: 'checked', version: isEmpty ? 0 : version, pending }, lines.join('\n'));
  return 1;
}

async function migrateNow(
  opened: ConfiguredStore,
  { restored, empty, waitSeconds, say }: Options,
): Promise<number> {
  const { schema, stores } = opened;
  const versions = await migrateSchema({
    schema,
    holder: `${hostname()}/${randomUUID()}`,
    now: () => new Date(),
    onProgress: (progress) => {
      say({ ...progress }, progressText(progress));
    },
    waitMs: waitSeconds * 1000,
    rewrite: rewriteOf(stores),
  });
  say(
    { event: 'migrated', version: SCHEMA_VERSION, versions },
    versions.length === 0
      ? nothingToDo(SCHEMA_VERSION)
      : `the store is at version ${String(SCHEMA_VERSION)}`,
  );
  if (restored) {
    await leapAfterRestore(schema);
    // Above every marker of this store in any data directory.
    await markStore(opened, LEAP);
    say(
      { event: 'restored' },
      'decisions and locks that were made before the restore count no more',
    );
  }
  if (empty) {
    await markStore(opened);
    say({ event: 'begun' }, 'the data directory now belongs to this empty store');
  }
  return 0;
}

function progressText(progress: Progress): string {
  if (progress.event === 'waiting') return 'another process is migrating the store; waiting for it';
  const what = `${String(progress.version)} (${progress.title})`;
  return progress.event === 'started' ? `migrating to version ${what} …` : `version ${what}: done`;
}
