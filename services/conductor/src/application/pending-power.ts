import { type Attempt } from '../domain/attempt.js';
import { type Fields } from '../domain/members.js';
import { PENDING_POWER, type PendingPower, toPendingRecord } from '../domain/power.js';
import { type LockedWork, noteWithRetry, proveLock, writeWithRetry } from './locked-write.js';

/** The pending record of a power command, under its lock. */
interface PendingPowerRecords {
  /** Writes how far the command is, together with other fields. Throws when the lock was lost: the caller must not act then. */
  readonly write: (at: PendingPower, set?: Fields) => Promise<void>;
  /** The attempt at the step that follows `at`. */
  readonly attempt: (at: PendingPower) => Attempt;
}

/** Records how far a power command is, so that it can be resumed after a restart. */
export function pendingPowerUnder(work: LockedWork, now: () => Date): PendingPowerRecords {
  const fieldsOf = (at: PendingPower): Fields => ({
    driver_internal_info: {
      ...work.lock.node().driver_internal_info,
      [PENDING_POWER]: toPendingRecord(at, now().toISOString()),
    },
  });
  return {
    write: (at, set = {}) => writeWithRetry(work, { ...fieldsOf(at), ...set }),
    attempt: (at) => ({
      begunBefore: at.resumed,
      wasSent: at.isSent,
      prove: () => proveLock(work),
      noteSent: () => noteWithRetry(work, fieldsOf({ ...at, isSent: true })),
    }),
  };
}
