import { type Command } from 'commander';
import { type CommandContext } from '../../terminal/command-context.js';
import { decisionById } from './find.js';
import { decisionLines } from './line.js';
import { addLogOptions, logDirOf, type LogOptions } from './options.js';

/** `tenure decisions show`: one complete record. */
export function addShowCommand(decisions: Command, context: CommandContext): void {
  addLogOptions(
    decisions
      .command('show')
      .description('show the complete record of a decision')
      .argument('<id>', 'decision id, as in the header X-Tenure-Decision-Id'),
    context.env,
  ).action((id: string, options: LogOptions) => show(id, options, context));
}

async function show(id: string, options: LogOptions, { stdout }: CommandContext): Promise<void> {
  const decision = await decisionById(logDirOf(options), id);
  if (options.json !== true) stdout.lines([...decisionLines(decision), '']);
  stdout.json(decision.record);
}
