import { type PolicyParts } from '../ports/policy-source.js';
import { type ReplicaBoard } from '../ports/replica-board.js';

/** Who asks again and again, in our own words of before, costs no more than this. */
const REST_MS = 100;
const MAX_WANTED = 16;

/**
 * Puts bundles on the board that others ask for, a few at a time.
 * @param partsOf what is kept here of a revision
 */
export const createHandOver = (
  board: Pick<ReplicaBoard, 'putBundle'>,
  partsOf: (revision: string) => Promise<PolicyParts | undefined>,
): ((revision: string) => void) => {
  const wanted = new Set<string>();
  let isResting = false;

  const handOver = async (revision: string): Promise<void> => {
    const parts = await partsOf(revision);
    if (parts !== undefined) await board.putBundle(revision, parts);
  };

  const work = async (): Promise<void> => {
    const all = [...wanted];
    wanted.clear();
    await Promise.allSettled(all.map(handOver));
    isResting = false;
    rouse();
  };

  const rouse = (): void => {
    if (isResting || wanted.size === 0) return;
    isResting = true;
    setTimeout(() => {
      void work();
    }, REST_MS).unref();
  };

  return (revision) => {
    if (wanted.size < MAX_WANTED) wanted.add(revision);
    rouse();
  };
};
