import { type Command } from 'commander';
import { type CommandContext } from '../../terminal/command-context.js';
import { addShowCommand } from './show.js';
import { addVerifyCommand } from './verify.js';

/** Adds `tenure custody …`: how machines passed from one tenancy to the next, and whether that record is complete. */
export function addCustodyCommands(program: Command, context: CommandContext): void {
  const custody = program
    .command('custody')
    .description('read and check how machines passed from one tenancy to the next');
  addShowCommand(custody, context);
  addVerifyCommand(custody, context);
}
