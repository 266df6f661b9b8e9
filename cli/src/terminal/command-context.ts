import { type Environment } from '@tenure/process';
import { Printer } from './printer.js';

/** The environment and streams that the process passes to the command line. */
export interface Streams {
  readonly env: Environment;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
}

/** The environment and output of a command. Commands print by `Printer` only, never to a stream. */
export interface CommandContext {
  readonly env: Environment;
  readonly stdout: Printer;
  readonly stderr: Printer;
}

/** The context of commands that print to these streams. */
export const commandContextOn = ({ env, stdout, stderr }: Streams): CommandContext => ({
  env,
  stdout: new Printer(stdout),
  stderr: new Printer(stderr),
});
