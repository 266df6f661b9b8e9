import { type CallContext, type LeaseRecord, NotFoundError } from '@tenure/contracts';
import { type LeaseBook, type LeaseReport } from '../ports/lease-book.js';

/** Leases in memory, all of them over. */
export class FakeLeases implements LeaseBook {
  /** Every report, in order. */
  readonly reports: LeaseReport[] = [];
  /** How often leases that are due were to begin. */
  begins = 0;
  readonly #leases = new Map<string, LeaseRecord>();
  readonly #giveBack: (nodeUuid: string) => void;

  constructor(giveBack: (nodeUuid: string) => void) {
    this.#giveBack = giveBack;
  }

  put(lease: LeaseRecord): LeaseRecord {
    this.#leases.set(lease.uuid, lease);
    return lease;
  }

  lease(uuid: string): LeaseRecord {
    const lease = this.#leases.get(uuid);
    if (lease === undefined) throw NotFoundError.of('Lease', uuid);
    return lease;
  }

  isOver(uuid: string): boolean {
    return this.#leases.has(uuid);
  }

  beginDue(): Promise<number> {
    this.begins += 1;
    return Promise.resolve(0);
  }

  get(_context: CallContext, uuid: string): Promise<LeaseRecord | undefined> {
    return Promise.resolve(this.#leases.get(uuid));
  }

  async report(_context: CallContext, uuid: string, report: LeaseReport): Promise<LeaseRecord> {
    await Promise.resolve();
    this.reports.push(report);
    const { status } = report;
    const before = this.lease(uuid);
    const after = this.put({ ...before, status });
    if (status === 'ended') this.#giveBack(after.node_uuid);
    return after;
  }
}
