import { type LoggedDecision, newestDecisions } from '@tenure/decision-log';
import { type DecisionFilter, matchesFilter, mayMatch } from '@tenure/policy';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type CommandContext } from '../../terminal/command-context.js';
import { decisionLines } from './line.js';
import { addLogOptions, logDirOf, type LogOptions, momentOption } from './options.js';

interface SearchOptions extends LogOptions, DecisionFilter {
  readonly since?: string;
  readonly limit: number;
}

const MAX_LIMIT = 100_000;

/** Adds the options that select decisions. */
export const addFilterOptions = (command: Command): Command =>
  command
    .option('--user <id>', 'questions of this user')
    .option(
      '--project <id>',
      'questions with this scope, or about a resource that it owns or leases',
    )
    .option('--node <uuid>', 'about the node, or other resource, with this id')
    .option('--action <name>', 'for this policy action')
    .option('--request <id>', 'of the request with this id')
    .option('--denied', 'refused')
    .addOption(new Option('--allowed', 'allowed').conflicts('denied'));

/** `tenure decisions search`: the newest decisions that match all options. */
export function addSearchCommand(decisions: Command, context: CommandContext): void {
  addFilterOptions(
    addLogOptions(
      decisions.command('search').description('find decisions that match all options'),
      context.env,
    ),
  )
    .addOption(momentOption('--since <when>', 'from then on'))
    .addOption(momentOption('--until <when>', 'until then'))
    .addOption(
      new Option('--limit <count>', 'at most so many, the newest').argParser(limitOf).default(100),
    )
    .addHelpText(
      'after',
      '\nExample: what was refused to members of a project within the last hour\n  tenure decisions search --project p-1 --denied --since 1h',
    )
    .action((options: SearchOptions) => search(options, context));
}

function limitOf(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
    throw new InvalidArgumentError(`from 1 to ${String(MAX_LIMIT)}`);
  return limit;
}

async function search(options: SearchOptions, { stdout, stderr }: CommandContext): Promise<void> {
  const decisions = await found(options);
  if (options.json === true) {
    stdout.json({ decisions: decisions.map(({ record }) => record) });
    return;
  }
  for (const decision of decisions.toReversed()) stdout.lines(decisionLines(decision));
  const more = decisions.length === options.limit ? `, the newest ${options.limit} (--limit)` : '';
  stderr.line(`${decisions.length} decisions${more}`);
}

async function found(options: SearchOptions): Promise<readonly LoggedDecision[]> {
  const { since, limit } = options;
  const decisions: LoggedDecision[] = [];
  const reading = newestDecisions(logDirOf(options), {
    mayMatch: mayMatch(options),
    ...(since !== undefined && { since }),
  });
  for await (const decision of reading) {
    if (!matchesFilter(decision, options)) continue;
    decisions.push(decision);
    if (decisions.length === limit) break;
  }
  return decisions;
}
