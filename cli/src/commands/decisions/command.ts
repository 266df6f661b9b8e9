import { type Command } from 'commander';
import { type Surroundings } from '../../terminal/surroundings.js';
import { addReplayCommand } from './replay/command.js';
import { addRetentionCommand } from './retention.js';
import { addSearchCommand } from './search.js';
import { addShowCommand } from './show.js';
import { addTailCommand } from './tail.js';
import { addVerifyCommand } from './verify.js';
import { addWhyCommand } from './why.js';

/** Adds `tenure decisions …`: search, explain, verify and replay logged decisions. */
export function addDecisionCommands(program: Command, around: Surroundings): void {
  const decisions = program
    .command('decisions')
    .description('search, verify and replay logged decisions');
  addTailCommand(decisions, around);
  addSearchCommand(decisions, around);
  addShowCommand(decisions, around);
  addWhyCommand(decisions, around);
  addVerifyCommand(decisions, around);
  addReplayCommand(decisions, around);
  addRetentionCommand(decisions, around);
}
