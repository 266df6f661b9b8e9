import { CommanderError } from 'commander';
import { createProgram } from './program.js';
import { ExitStatus } from './terminal/exit-status.js';
import { errorLines } from './terminal/lines-error.js';
import { Printer } from './terminal/printer.js';

// A closed pipe, as of head, is not an error of the command.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

try {
  await createProgram({
    env: process.env,
    stdout: process.stdout,
    stderr: process.stderr,
  }).parseAsync(process.argv);
} catch (error) {
  // commander has already printed the error of the command line
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2);
  if (error instanceof ExitStatus) {
    // not process.exit, which would truncate output that a pipe has not read yet
    process.exitCode = error.status;
  } else {
    new Printer(process.stderr).lines(errorLines(error));
    process.exit(2);
  }
}
