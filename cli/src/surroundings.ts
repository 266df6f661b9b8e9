import { type Environment } from '@tenure/process';
import { Printer } from './printer.js';

/** What the command line is given of the process. */
export interface Streams {
  readonly env: Environment;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
}

/** What the commands may touch of the process: they print, and cannot write. */
export interface Surroundings {
  readonly env: Environment;
  readonly stdout: Printer;
  readonly stderr: Printer;
}

/** The surroundings of commands that print on these streams. */
export const surroundingsOn = ({ env, stdout, stderr }: Streams): Surroundings => ({
  env,
  stdout: new Printer(stdout),
  stderr: new Printer(stderr),
});
