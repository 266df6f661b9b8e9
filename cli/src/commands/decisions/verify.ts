import path from 'node:path';
import { type Finding, instancesIn, type Verified, verifyLog } from '@tenure/decision-log';
import { type Command } from 'commander';
import { type CommandContext } from '../../terminal/command-context.js';
import { ExitStatus } from '../../terminal/exit-status.js';
import { addLogOptions, keysOf, logDirOf, type LogOptions } from './options.js';

interface VerifyOptions extends LogOptions {
  readonly key?: string;
}

const FOUND = 1;

/** `tenure decisions verify`: whether the log is unchanged. */
export function addVerifyCommand(decisions: Command, context: CommandContext): void {
  addLogOptions(
    decisions
      .command('verify')
      .description(
        'check that no record was edited, removed, moved or cut off; 0 clean, 1 something found, 2 could not run',
      )
      .option(
        '--key <file>',
        'PEM file with the public keys that signed the log; default keys/decision-log/public.pem below the data directory',
      ),
    context.env,
  ).action((options: VerifyOptions) => verify(options, context));
}

async function verify(options: VerifyOptions, { stdout }: CommandContext): Promise<void> {
  const dir = logDirOf(options);
  const keys = keysOf(options, options.key);
  const instances = await instancesIn(dir);
  if (instances.length === 0) throw new Error(`there is no decision log in ${dir}`);
  const logs: Verified[] = [];
  for (const instance of instances)
    logs.push(await verifyLog(path.join(dir, instance), instance, keys));
  const findings = logs.flatMap((log) => log.findings);
  if (options.json === true)
    stdout.json({
      ok: findings.length === 0,
      records: logs.reduce((sum, { records }) => sum + records, 0),
      findings,
      logs: logs.map(({ instance, records, segments, unsigned }) => ({
        instance,
        records,
        segments,
        unsigned,
      })),
    });
  else stdout.lines(logs.flatMap(logLines));
  if (findings.length > 0) throw new ExitStatus(FOUND);
}

const logLines = ({
  instance,
  records,
  segments,
  unsigned,
  findings,
}: Verified): readonly string[] => [
  `${instance}: ${records} records in ${segments} segments, ${findings.length === 0 ? 'as they were written' : `${findings.length} findings`}${unsigned > 0 ? `; the last ${unsigned} not signed for yet` : ''}`,
  ...findings.map(findingLine),
];

const findingLine = ({ kind, instance, segment, line, ...rest }: Finding): string =>
  [
    `  ${kind}:`,
    rest.about,
    `(${instance}, segment ${segment}${line === undefined ? '' : `, line ${line}`}${rest.seq === undefined ? '' : `, record ${rest.seq}`})`,
    ...(rest.decision_id === undefined ? [] : [`decision ${rest.decision_id}`]),
  ].join(' ');
