import {
  followDecisions,
  logEnds,
  type LoggedDecision,
  newestDecisions,
} from '@tenure/decision-log';
import { type DecisionFilter, matchesFilter } from '@tenure/policy';
import { type Command, Option } from 'commander';
import { type CommandContext } from '../../terminal/command-context.js';
import { decisionLines } from './line.js';
import { addLogOptions, logDirOf, type LogOptions } from './options.js';
import { addFilterOptions } from './search.js';

interface TailOptions extends LogOptions, DecisionFilter {
  readonly lines: string;
  readonly follow: boolean;
}

/** `tenure decisions tail`: the last decisions, and those to come, until Ctrl-C. */
export function addTailCommand(decisions: Command, context: CommandContext): void {
  addFilterOptions(
    addLogOptions(
      decisions
        .command('tail')
        .description('show the last decisions and those to come, until Ctrl-C'),
      context.env,
    ),
  )
    .addOption(new Option('-n, --lines <count>', 'how many of the last ones').default('10'))
    .option('--no-follow', 'stop behind the last one')
    .addHelpText('after', '\nWith --json a document on each line.')
    .action((options: TailOptions) => tail(options, context));
}

async function tail(options: TailOptions, { stdout }: CommandContext): Promise<void> {
  const dir = logDirOf(options);
  const write = (decision: LoggedDecision): void => {
    if (!matchesFilter(decision, options)) return;
    if (options.json === true) stdout.jsonLine(decision.record);
    else stdout.lines(decisionLines(decision));
  };
  // Before the last ones are read, so that none is missed in between.
  const ends = await logEnds(dir);
  const last: LoggedDecision[] = [];
  for await (const decision of newestDecisions(dir)) {
    if (last.length >= Number(options.lines)) break;
    if (matchesFilter(decision, options)) last.push(decision);
  }
  last.toReversed().forEach(write);
  if (!options.follow) return;
  const stop = new AbortController();
  process.once('SIGINT', () => {
    stop.abort();
  });
  for await (const decision of followDecisions(dir, ends, stop.signal)) write(decision);
}
