import {
  BadRequestError,
  type CallContext,
  ConflictError,
  fieldOf,
  type HandoverRecord,
  type HandoverStep,
  type NodeRecord,
  NotFoundError,
  wasCleaned,
} from '@tenure/contracts';
import { type FakeRecords } from './records.js';

const REPORTED = ['status', 'reason', 'phase', 'steps', 'erased', 'put_back', 'agent', 'firmware'];

type Report = Partial<
  Pick<HandoverRecord, 'phase' | 'steps' | 'erased' | 'put_back' | 'firmware'>
> & { readonly status: 'open' | 'failed'; readonly reason?: string; readonly agent?: string };

/** Both, without those of the second that say the same as one of the first. */
const joined = <T extends object>(
  first: readonly T[],
  second: readonly T[],
  names: readonly string[],
): readonly T[] => [
  ...first,
  ...second.filter(
    (one) =>
      !first.some((other) => names.every((name) => fieldOf(one, name) === fieldOf(other, name))),
  ),
];

/** A step that fails again and again is there once, as it failed last. */
const withoutRepeatedFailures = (steps: readonly HandoverStep[]): readonly HandoverStep[] =>
  steps.filter(({ step, outcome }, at) => outcome !== 'failed' || steps[at + 1]?.step !== step);

/** Handovers, as a conductor reads and reports them: those that a test has put there. */
export class FakeHandovers {
  /** Every report, in order. */
  readonly reports: Report[] = [];
  /** Called before each call is answered. */
  beforeAnswer: () => void = () => undefined;
  readonly #records: FakeRecords;

  constructor(records: FakeRecords) {
    this.#records = records;
  }

  put(record: HandoverRecord): HandoverRecord {
    this.#records.handoverRecords.set(record.uuid, record);
    return record;
  }

  record(uuid: string): HandoverRecord {
    const record = this.#records.handoverRecords.get(uuid);
    if (record === undefined) throw NotFoundError.of('Handover', uuid);
    return record;
  }

  async get(context: CallContext, uuid: string): Promise<HandoverRecord | undefined> {
    await this.#answer(context);
    return this.#records.handoverRecords.get(uuid);
  }

  async report(context: CallContext, uuid: string, report: Report): Promise<HandoverRecord> {
    await this.#answer(context);
    const odd = Object.keys(report).find((name) => !REPORTED.includes(name));
    if (odd !== undefined) throw new BadRequestError(`A report has no ${odd}.`);
    const before = this.record(uuid);
    this.reports.push(report);
    if (before.status === 'complete') return before;
    const { steps = [], erased = [], firmware = [], reason = null, ...rest } = report;
    return this.put({
      ...before,
      ...rest,
      reason,
      steps: withoutRepeatedFailures(joined(before.steps, steps, ['step', 'outcome', 'at'])),
      erased: joined(before.erased, erased, ['interface', 'step', 'outcome', 'at']),
      firmware: firmware.length > 0 ? firmware : before.firmware,
      put_back: { ...before.put_back, ...report.put_back },
    });
  }

  async complete(context: CallContext, uuid: string): Promise<HandoverRecord> {
    await this.#answer(context);
    const record = this.record(uuid);
    if (record.status === 'complete') return record;
    const node = this.#records.node(record.node_uuid);
    if (!isDone(node, record) || (record.plan.clean && node.reservation !== null))
      throw new ConflictError('handover_not_done', `Handover ${uuid} is not done: work is left.`);
    return complete(this.#records, record);
  }

  async #answer(context: CallContext): Promise<void> {
    await this.#records.answer('handover', context);
    this.beforeAnswer();
  }
}

/** Completes the handover of a node if everything is done that it needs. */
export function handOver(records: FakeRecords, node: NodeRecord): void {
  const record = records.handoverRecords.get(node.handover_uuid ?? '');
  if (record !== undefined && isDone(node, record)) complete(records, record);
}

function complete(records: FakeRecords, before: HandoverRecord): HandoverRecord {
  const after = { ...before, status: 'complete', reason: null } as const;
  records.handoverRecords.set(after.uuid, after);
  const lease = records.leaseRecords.get(after.lease_uuid ?? '');
  if (lease !== undefined) records.leaseRecords.set(lease.uuid, { ...lease, status: 'ended' });
  const node = records.node(after.node_uuid);
  const left = lease === undefined ? {} : { lease_uuid: null, lease_end: null, lessee_until: null };
  if (node.handover_uuid === after.uuid)
    records.write(node, { ...left, handover_uuid: null, custody: { touched: false } });
  return after;
}

function isDone(node: NodeRecord, { plan, phase, steps }: HandoverRecord): boolean {
  if (!plan.clean || ['enroll', 'verify failed'].includes(node.provision_state))
    return !plan.undeploy || phase !== null;
  return (phase === 'undeploying' || phase === 'cleaning') && wasCleaned({ steps });
}
