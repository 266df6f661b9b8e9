import { type Environment } from '@tenure/process';
import { Printer } from './printer.js';

/** The parts of the process that the command line receives. */
export interface Streams {
  readonly env: Environment;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
}

/** The parts of the process that commands may use: they can print, but have no stream to write to. */
export interface Surroundings {
  readonly env: Environment;
  readonly stdout: Printer;
  readonly stderr: Printer;
}

/** The surroundings of commands that print to these streams. */
export const surroundingsOn = ({ env, stdout, stderr }: Streams): Surroundings => ({
  env,
  stdout: new Printer(stdout),
  stderr: new Printer(stderr),
});
