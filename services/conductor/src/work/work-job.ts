import { type Deadline } from '../deadline.js';
import { type Fields, type WorkResult } from '../domain/provision/fields.js';
import { keepsParts, partsOf, type WorkParts, withParts } from '../domain/provision/work-parts.js';
import { type Job } from '../ports/provisioning.js';
import { type HeldLock } from './node-locks.js';
import { writePatiently } from './patient-write.js';

/** Under which lock something is done, and until when. */
interface UnderLock {
  readonly lock: HeldLock;
  readonly deadline: Deadline;
}

/** Asks the inventory whether the lock is still ours. */
const proofOf =
  ({ lock, deadline }: UnderLock) =>
  (): Promise<void> =>
    writePatiently(lock, {}, deadline);

/**
 * What a driver works with under a lock. The parts that it does are written to the pending record, each before it is begun
 * and once it is done: the next life of a conductor goes on with the first that is not done.
 * @param unit names the piece of work; parts of another one do not count for it
 */
export const jobUnder = ({ lock, deadline }: UnderLock, unit: string): Job => {
  const proceed = proofOf({ lock, deadline });
  const write = (parts: WorkParts, { set, internal }: WorkResult = {}): Promise<void> => {
    const info: Fields = { ...withParts(lock.node(), unit, parts), ...internal };
    return writePatiently(lock, { ...set, driver_internal_info: info }, deadline);
  };
  return {
    proceed,
    part: async (name, act) => {
      const before = partsOf(lock.node(), unit);
      if (before.done.includes(name)) return;
      const begunBefore = before.begun?.name === name ? before.begun.times : 0;
      const isKept = keepsParts(lock.node());
      // Either write proves the lock, too.
      if (isKept) await write({ ...before, begun: { name, times: begunBefore + 1 } });
      else await proceed();
      const result = await act(begunBefore);
      const { notes, done } = before;
      if (isKept) await write({ notes, done: [...done, name] }, result);
    },
    noted: async (name, read) => {
      const before = partsOf(lock.node(), unit);
      const known = before.notes[name];
      if (known !== undefined) return known;
      const note = await read();
      if (keepsParts(lock.node()))
        await write({ ...before, notes: { ...before.notes, [name]: note } });
      return note;
    },
  };
};
