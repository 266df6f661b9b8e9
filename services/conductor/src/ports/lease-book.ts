import { type CallContext, type LeaseRecord } from '@tenure/contracts';

/** A conductor's report on a lease that is over. */
interface LeaseReport {
  readonly status: 'ending' | 'ended';
}

/** The leases of the system of record. Everything throws `AppError`. */
export interface LeaseBook {
  /** Begins every lease whose time has come; how many did. */
  readonly beginDue: (context: CallContext) => Promise<number>;
  /** Undefined when there is none. */
  readonly get: (context: CallContext, uuid: string) => Promise<LeaseRecord | undefined>;
  /**
   * Records that it is over: `ending` opens the handover of its machine, `ended` is refused (409 `lease_not_cleared`)
   * before that is complete. Returns the lease as it is then.
   */
  readonly report: (
    context: CallContext,
    uuid: string,
    report: LeaseReport,
  ) => Promise<LeaseRecord>;
}
