import fc from 'fast-check';
import { type HistoryStores, runHistory } from './histories/run-history.js';
import { histories } from './histories/steps.js';

export interface HistoriesOptions {
  readonly runs: number;
  /** Of a run that failed, to repeat it; undefined: another each time. */
  readonly seed?: number;
}

/**
 * Runs random histories against every adapter and a model of the port, and compares each answer and error. A failure
 * says its seed and path, and the shortest history that fails.
 * @param makeStores by name of the adapter, stores that are empty
 */
export async function compareHistories(
  makeStores: () => Promise<Readonly<Record<string, HistoryStores>>>,
  { runs, seed }: HistoriesOptions,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(histories(), async (history) => {
      await runHistory(history, await makeStores());
    }),
    { numRuns: runs, ...(seed !== undefined && { seed }) },
  );
}
