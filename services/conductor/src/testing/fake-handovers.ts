import {
  BadRequestError,
  type CallContext,
  ConflictError,
  type HandoverRecord,
  NotFoundError,
} from '@tenure/contracts';
import { type HandoverBook, type HandoverReport } from '../ports/handover-book.js';

/** The inventory refuses whatever else is in a report. */
const REPORTED: ReadonlySet<string> = new Set([
  'status',
  'reason',
  'phase',
  'steps',
  'erased',
  'put_back',
  'agent',
  'firmware',
]);

/** Handovers in memory. */
export class FakeHandovers implements HandoverBook {
  /** Every report, in order. */
  readonly reports: HandoverReport[] = [];
  /** Called before each call is answered. */
  beforeAnswer: () => void = () => undefined;
  readonly #records = new Map<string, HandoverRecord>();
  readonly #letGo: (record: HandoverRecord) => void;

  constructor(letGo: (record: HandoverRecord) => void) {
    this.#letGo = letGo;
  }

  put(record: HandoverRecord): HandoverRecord {
    this.#records.set(record.uuid, record);
    return record;
  }

  record(uuid: string): HandoverRecord {
    const record = this.#records.get(uuid);
    if (record === undefined) throw NotFoundError.of('Handover', uuid);
    return record;
  }

  async get(_context: CallContext, uuid: string): Promise<HandoverRecord | undefined> {
    await Promise.resolve();
    this.beforeAnswer();
    return this.#records.get(uuid);
  }

  async report(
    _context: CallContext,
    uuid: string,
    report: HandoverReport,
  ): Promise<HandoverRecord> {
    await Promise.resolve();
    this.beforeAnswer();
    const odd = Object.keys(report).find((name) => !REPORTED.has(name));
    if (odd !== undefined) throw new BadRequestError(`A report has no ${odd}.`);
    this.reports.push(report);
    const before = this.record(uuid);
    const { steps = [], erased = [], put_back = {}, reason = null, ...said } = report;
    return this.put({
      ...before,
      ...said,
      reason,
      steps: [...before.steps, ...steps],
      erased: [...before.erased, ...erased],
      put_back: { ...before.put_back, ...put_back },
    });
  }

  async complete(_context: CallContext, uuid: string): Promise<HandoverRecord> {
    await Promise.resolve();
    this.beforeAnswer();
    return this.completed(uuid);
  }

  /** As the inventory does it. */
  completed(uuid: string): HandoverRecord {
    const before = this.record(uuid);
    if (before.plan.clean && !['undeploying', 'cleaning'].includes(before.phase ?? ''))
      throw new ConflictError('handover_not_done', 'Work is left.');
    const after = this.put({ ...before, status: 'complete', reason: null });
    this.#letGo(after);
    return after;
  }
}
