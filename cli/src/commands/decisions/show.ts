import { type Command } from 'commander';
import { type Surroundings } from '../../terminal/surroundings.js';
import { decisionCalled } from './find.js';
import { decisionLines } from './line.js';
import { addLogOptions, logDirOf, type LogOptions } from './options.js';

/** `tenure decisions show`: one complete record. */
export function addShowCommand(decisions: Command, around: Surroundings): void {
  addLogOptions(
    decisions
      .command('show')
      .description('show the complete record of a decision')
      .argument('<id>', 'decision id, as in the header X-Tenure-Decision-Id'),
    around.env,
  ).action((id: string, options: LogOptions) => show(id, options, around));
}

async function show(id: string, options: LogOptions, { stdout }: Surroundings): Promise<void> {
  const decision = await decisionCalled(logDirOf(options), id);
  if (options.json !== true) stdout.lines([...decisionLines(decision), '']);
  stdout.json(decision.record);
}
