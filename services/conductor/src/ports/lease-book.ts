import { type LeasePhase, type LeaseRecord } from '@tenure/contracts';
import { type Behalf } from './inventory-port.js';

/** What a conductor says of a lease that is over. */
export interface LeaseReport {
  readonly status: 'ending' | 'error' | 'ended';
  readonly reason?: string;
  /** Left out: as it was. */
  readonly phase?: LeasePhase;
}

/** The leases of the system of record. Everything throws `AppError`. */
export interface LeaseBook {
  /** Begins every lease whose time has come; how many did. */
  readonly beginDue: (behalf: Behalf) => Promise<number>;
  /** Undefined when there is none. */
  readonly get: (behalf: Behalf, uuid: string) => Promise<LeaseRecord | undefined>;
  /** Writes down how far clearing away has come; `ended` gives the node back. Returns the lease as it is then. */
  readonly report: (behalf: Behalf, uuid: string, report: LeaseReport) => Promise<LeaseRecord>;
}
