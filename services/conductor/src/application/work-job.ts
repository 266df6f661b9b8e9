import { type Fields, type WorkResult } from '../domain/provision/fields.js';
import { keepsParts, partsOf, type WorkParts, withParts } from '../domain/provision/work-parts.js';
import { type Job } from '../ports/provisioning.js';
import { type LockedWork, noteWithRetry, proveLock, writeWithRetry } from './locked-write.js';

/**
 * The job that a driver runs under a lock. Its parts are written to the pending record, each before it is begun and once it is
 * done: after a restart, a conductor goes on with the first that is not done.
 * @param unit names the piece of work; parts of another one do not count for it
 */
export function jobUnder(work: LockedWork, unit: string): Job {
  const { lock } = work;
  // Asks the inventory whether the lock is still ours.
  const proceed = (): Promise<void> => writeWithRetry(work, {});
  const fieldsOf = (parts: WorkParts, { set, internal }: WorkResult = {}): Fields => ({
    ...set,
    driver_internal_info: { ...withParts(lock.node(), unit, parts), ...internal },
  });
  const write = (parts: WorkParts, result?: WorkResult): Promise<void> =>
    writeWithRetry(work, fieldsOf(parts, result));
  return {
    proceed,
    part: async (name, act) => {
      const before = partsOf(lock.node(), unit);
      if (before.done.includes(name)) return;
      const earlier = before.begun?.name === name ? before.begun : undefined;
      const begunBefore = earlier?.times ?? 0;
      const wasSent = earlier?.sent ?? false;
      const begun = { name, times: begunBefore + 1, sent: wasSent };
      const isKept = keepsParts(lock.node());
      // Either write proves the lock, too.
      await (isKept ? write({ ...before, begun }) : proceed());
      const noteSent = (): Promise<void> => {
        const sent = { ...before, begun: { ...begun, sent: true } };
        return noteWithRetry(work, isKept ? fieldsOf(sent) : {});
      };
      const result = await act({
        begunBefore,
        wasSent,
        prove: () => proveLock(work),
        noteSent,
      });
      const { notes, done } = before;
      if (isKept) await write({ notes, done: [...done, name] }, result);
    },
    noted: async (name, read) => {
      const before = partsOf(lock.node(), unit);
      const recorded = before.notes[name];
      if (recorded !== undefined) return recorded;
      const note = await read();
      if (keepsParts(lock.node()))
        await write({ ...before, notes: { ...before.notes, [name]: note } });
      return note;
    },
  };
}
