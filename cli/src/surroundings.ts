import { type Environment } from '@tenure/process';

/** What the commands may touch of the process. */
export interface Surroundings {
  readonly env: Environment;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
}
