import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from '@tenure/contracts';
import { instancesIn, RETENTION_FILE, RetentionState } from '@tenure/decision-log';
import { type Command } from 'commander';
import { type CommandContext } from '../../terminal/command-context.js';
import { addLogOptions, logDirOf, type LogOptions } from './options.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MIB = 1024 * 1024;
const LISTED_ACCOUNTS = 10;

interface InstanceUsage extends RetentionState {
  readonly instance: string;
  /** Average since the oldest record; null when that is less than an hour old. */
  readonly bytes_per_day: number | null;
}

/** `tenure decisions retention`: retention time, disk usage, and the accounts that use most of their share. */
export function addRetentionCommand(decisions: Command, context: CommandContext): void {
  addLogOptions(
    decisions
      .command('retention')
      .description('show retention time, disk usage, and the usage of each account'),
    context.env,
  ).action((options: LogOptions) => retention(options, context));
}

async function retention(options: LogOptions, { stdout }: CommandContext): Promise<void> {
  const dir = logDirOf(options);
  const instances = await instancesIn(dir);
  if (instances.length === 0) throw new Error(`there is no decision log in ${dir}`);
  const all = instances.map((instance) => usageOf(dir, instance));
  stdout.answer({
    json: options.json,
    document: { instances: all },
    lines: () => all.flatMap(usageLines),
  });
}

/** @throws Error when the file is missing or the decision point did not write it */
function usageOf(root: string, instance: string): InstanceUsage {
  const file = path.join(root, instance, RETENTION_FILE);
  const state: RetentionState = parse(
    RetentionState,
    JSON.parse(readFileSync(file, 'utf8')),
    RETENTION_FILE,
  );
  const spanMs = state.oldest === null ? 0 : Date.parse(state.at) - Date.parse(state.oldest);
  const perDay = spanMs < HOUR_MS ? null : Math.round((state.bytes * DAY_MS) / spanMs);
  return { instance, ...state, bytes_per_day: perDay };
}

function usageLines(usage: InstanceUsage): readonly string[] {
  const { instance, at, oldest, bytes, segments, retained_segments: retained } = usage;
  const largest = usage.accounts.toSorted((a, b) => b.used - a.used).slice(0, LISTED_ACCOUNTS);
  return [
    `${instance}: ${mebibytes(bytes)} of ${mebibytes(usage.space_bytes)} in ${String(segments)} segments, at ${at}`,
    `  kept for ${days(usage.keep_seconds)}; the oldest record is of ${oldest ?? '-'}`,
    needLine(usage),
    `  free on the disk: ${mebibytes(usage.disk_free_bytes)}; reserve: ${mebibytes(usage.reserve_bytes)}`,
    ...(retained > 0 ? [`  ${String(retained)} old segments wait for a receiver`] : []),
    `  share of a project: ${mebibytes(usage.project_bytes_per_day)} a day`,
    ...largest.map(accountLine),
  ];
}

const mebibytes = (bytes: number): string => `${(bytes / MIB).toFixed(1)} MiB`;

const days = (seconds: number): string => `${(seconds / 86_400).toFixed(1)} days`;

const needLine = ({ bytes_per_day: perDay, keep_seconds: seconds }: InstanceUsage): string =>
  perDay === null
    ? '  a day: not measured yet'
    : `  a day: ${mebibytes(perDay)}; ${days(seconds)} of that need ${mebibytes((perDay * seconds) / 86_400)}`;

const accountLine = ({ account, used, limit }: RetentionState['accounts'][number]): string =>
  `  ${account}: ${mebibytes(used)} of ${limit === null ? 'no limit' : `${mebibytes(limit)} a day`}`;
