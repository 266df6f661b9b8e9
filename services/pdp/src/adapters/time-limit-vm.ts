import { runInNewContext } from 'node:vm';
import { PolicyRefused } from '../domain/failures.js';
import { type TimeLimit } from '../ports/time-limit.js';

const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/** A time limit by V8's own interrupt, which reaches into WASM loops too. */
export const limitByVm: TimeLimit = <T>(milliseconds: number, work: () => T): T => {
  const answers: T[] = [];
  const run = (): void => {
    answers.push(work());
  };
  try {
    runInNewContext('run()', { run }, { timeout: milliseconds });
  } catch (error) {
    if (!isTimeout(error)) throw error;
    throw new PolicyRefused(`the policy took longer than ${milliseconds} ms`, { cause: error });
  }
  const [answer] = answers;
  return answer as T; // `run` returned, so it pushed one
};
