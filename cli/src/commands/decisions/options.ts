import { readFileSync } from 'node:fs';
import { decisionLogDir, publicKeysOf, verificationKeyFile } from '@tenure/decision-log';
import { type Environment, momentIn } from '@tenure/process';
import { type Command, InvalidArgumentError, Option } from 'commander';

/** The directory of the decision log, and the output format. */
export interface LogOptions {
  readonly dataDir: string;
  readonly dir?: string;
  readonly json?: true;
}

/** Adds the options that every command on the decision log has. */
export const addLogOptions = (command: Command, env: Environment): Command =>
  command
    .addOption(
      new Option('--data-dir <dir>', 'data directory that contains the decision log').default(
        env['TENURE_DATA_DIR'] ?? '.data',
      ),
    )
    .addOption(
      new Option(
        '--dir <dir>',
        'directory of the decision log itself, when it is elsewhere',
      ).default(env['PDP_DECISION_LOG_DIR']),
    )
    .option('--json', 'one JSON document on stdout');

/** The directory of decision logs that the options name. */
export const logDirOf = ({ dataDir, dir }: LogOptions): string => dir ?? decisionLogDir(dataDir);

/**
 * The public keys; a log must be signed by one of them.
 * @throws Error when the file cannot be read or holds no key
 */
export const keysOf = (
  { dataDir }: LogOptions,
  file: string | undefined,
): ReturnType<typeof publicKeysOf> =>
  publicKeysOf(readFileSync(file ?? verificationKeyFile(dataDir), 'utf8'));

export const momentOption = (flag: string, about: string): Option =>
  new Option(flag, `${about}: a duration before now (15m, 1h, 7d) or a date and time`).argParser(
    momentOf,
  );

function momentOf(text: string): string {
  const moment = momentIn(text, Date.now());
  if (moment === undefined)
    throw new InvalidArgumentError('say a duration such as 15m, 1h, 7d, or a date and time');
  return moment;
}
