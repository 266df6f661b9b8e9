import { Writable } from 'node:stream';
import { type Environment } from '@tenure/process';
import { createProgram } from '../../../program.js';

/** The output of a command, and the error that it threw. */
export interface Run {
  readonly stdout: string;
  readonly stderr: string;
  readonly error: unknown;
}

/** Runs the command line within this process, in this environment. */
export async function runTenureIn(env: Environment, ...args: readonly string[]): Promise<Run> {
  const stdout: string[] = [];
  const stderr: string[] = [];
  let error: unknown;
  try {
    const context = { env, stdout: sink(stdout), stderr: sink(stderr) };
    await createProgram(context).parseAsync(['node', 'tenure', ...args]);
  } catch (thrown) {
    error = thrown;
  }
  return { stdout: stdout.join(''), stderr: stderr.join(''), error };
}

/** Runs the command line within this process, in an empty environment. */
export const runTenure = (...args: readonly string[]): Promise<Run> => runTenureIn({}, ...args);

const sink = (chunks: string[]): Writable =>
  new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk.toString());
      done();
    },
  });
