import { type Command } from 'commander';
import { type CommandContext } from '../../terminal/command-context.js';
import { addCanCommand } from './ask/can.js';
import { addWhatCanCommand } from './ask/what-can.js';
import { addWhoCanCommand } from './ask/who-can.js';
import { addBuildCommand } from './build/command.js';
import { addDiffCommand } from './diff/command.js';
import { addImportOslo } from './import-oslo/command.js';
import { addLintCommand } from './lint/command.js';
import { addMatrixCommand } from './matrix/command.js';
import { addProveCommand } from './prove/command.js';
import { addSelftestCommand } from './selftest/command.js';
import { addServingCommands } from './serving/command.js';
import { addVerifyCommand } from './verify/command.js';

/** Adds `tenure policy …`: commands on policies. Most need no running decision point. */
export function addPolicyCommands(program: Command, context: CommandContext): void {
  const policy = program.command('policy').description('check, show and convert the rules');
  addVerifyCommand(policy, context);
  addMatrixCommand(policy, context);
  addSelftestCommand(policy, context);
  addCanCommand(policy, context);
  addWhoCanCommand(policy, context);
  addWhatCanCommand(policy, context);
  addBuildCommand(policy, context);
  addDiffCommand(policy, context);
  addProveCommand(policy, context);
  addLintCommand(policy, context);
  addImportOslo(policy, context);
  addServingCommands(policy, context);
}
