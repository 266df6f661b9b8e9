import { type Command } from 'commander';
import { type CommandContext } from '../../terminal/command-context.js';
import { addReplayCommand } from './replay/command.js';
import { addRetentionCommand } from './retention.js';
import { addSearchCommand } from './search.js';
import { addShowCommand } from './show.js';
import { addTailCommand } from './tail.js';
import { addVerifyCommand } from './verify.js';
import { addWhyCommand } from './why.js';

/** Adds `tenure decisions …`: search, explain, verify and replay logged decisions. */
export function addDecisionCommands(program: Command, context: CommandContext): void {
  const decisions = program
    .command('decisions')
    .description('search, verify and replay logged decisions');
  addTailCommand(decisions, context);
  addSearchCommand(decisions, context);
  addShowCommand(decisions, context);
  addWhyCommand(decisions, context);
  addVerifyCommand(decisions, context);
  addReplayCommand(decisions, context);
  addRetentionCommand(decisions, context);
}
