import {
  AppError,
  type CallContext,
  ConflictError,
  type LeaseRecord,
  NotFoundError,
} from '@tenure/contracts';
import { type FakeRecords } from './records.js';

interface Report {
  readonly status: 'ending' | 'ended';
}

/** Leases, as a conductor reads and ends them: those that a test has put there, none of which is due to begin. */
export class FakeLeases {
  /** Every report, in order. */
  readonly reports: Report[] = [];
  /** How often leases that are due were to begin. */
  begins = 0;
  readonly #records: FakeRecords;

  constructor(records: FakeRecords) {
    this.#records = records;
  }

  put(lease: LeaseRecord): LeaseRecord {
    this.#records.leaseRecords.set(lease.uuid, lease);
    return lease;
  }

  lease(uuid: string): LeaseRecord {
    const lease = this.#records.leaseRecords.get(uuid);
    if (lease === undefined) throw NotFoundError.of('Lease', uuid);
    return lease;
  }

  async beginDue(context: CallContext): Promise<number> {
    await this.#records.answer('beginDue', context);
    this.begins += 1;
    return 0;
  }

  async get(context: CallContext, uuid: string): Promise<LeaseRecord | undefined> {
    await this.#records.answer('lease', context);
    return this.#records.leaseRecords.get(uuid);
  }

  async report(context: CallContext, uuid: string, report: Report): Promise<LeaseRecord> {
    await this.#records.answer('reportLease', context);
    this.reports.push(report);
    const before = this.lease(uuid);
    const node = this.#records.node(before.node_uuid);
    const { lease_uuid: leaseUuid, lease_end: end } = node;
    if (leaseUuid === uuid && !(typeof end === 'string' && end <= this.#records.moment()))
      throw new AppError('lease_not_over', 409, `Lease ${uuid} is not over.`);
    const lease = before.status === 'active' ? this.#end(before) : before;
    if (report.status === 'ending' || lease.status === 'ended') return lease;
    const isOpen = this.#records.handoverRecords
      .values()
      .some(({ lease_uuid: of, status }) => of === uuid && status !== 'complete');
    if (isOpen)
      throw new ConflictError(
        'lease_not_cleared',
        `The machine of lease ${uuid} is not handed over yet.`,
      );
    this.#records.write(this.#records.node(lease.node_uuid), {
      lease_uuid: null,
      lease_end: null,
      lessee_until: null,
    });
    return this.put({ ...lease, status: 'ended' });
  }

  /** Ends the lessee's access to the node, and begins the handover of its machine. */
  #end(lease: LeaseRecord): LeaseRecord {
    this.#records.write(this.#records.node(lease.node_uuid), { lessee: null, lessee_until: null });
    return this.put({ ...lease, status: 'ending' });
  }
}
