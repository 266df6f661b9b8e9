import { runInNewContext } from 'node:vm';
import { PolicyRefused } from '../failures.js';

const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/**
 * Runs synchronous work and interrupts it after `milliseconds`, by V8's own interrupt, which reaches into WASM loops too.
 * Costs most of a millisecond.
 * @throws PolicyRefused when the time is up
 */
export const runWithin = <T>(milliseconds: number, work: () => T): T => {
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
