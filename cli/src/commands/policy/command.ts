import { type Command } from 'commander';
import { type Surroundings } from '../../terminal/surroundings.js';
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
export function addPolicyCommands(program: Command, around: Surroundings): void {
  const policy = program.command('policy').description('check, show and convert the rules');
  addVerifyCommand(policy, around);
  addMatrixCommand(policy, around);
  addSelftestCommand(policy, around);
  addCanCommand(policy, around);
  addWhoCanCommand(policy, around);
  addWhatCanCommand(policy, around);
  addBuildCommand(policy, around);
  addDiffCommand(policy, around);
  addProveCommand(policy, around);
  addLintCommand(policy, around);
  addImportOslo(policy, around);
  addServingCommands(policy, around);
}
