import { type Command } from 'commander';
import { type Surroundings } from '../../terminal/surroundings.js';
import { addReplayCommand } from './replay/command.js';
import { addRetentionCommand } from './retention.js';
import { addSearchCommand } from './search.js';
import { addShowCommand } from './show.js';
import { addTailCommand } from './tail.js';
import { addVerifyCommand } from './verify.js';
import { addWhyCommand } from './why.js';

/** Adds `tenure decisions …`: what was decided, why, whether the record of it is whole, and what another policy would have said. */
export function addDecisionCommands(program: Command, around: Surroundings): void {
  const decisions = program
    .command('decisions')
    .description('read, check and replay what was decided');
  addTailCommand(decisions, around);
  addSearchCommand(decisions, around);
  addShowCommand(decisions, around);
  addWhyCommand(decisions, around);
  addVerifyCommand(decisions, around);
  addReplayCommand(decisions, around);
  addRetentionCommand(decisions, around);
}
