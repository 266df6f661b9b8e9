import {
  type CallContext,
  type HandoverPhase,
  type HandoverRecord,
  type HandoverStep,
} from '@tenure/contracts';

/** A conductor's report on an open handover. */
export interface HandoverReport {
  readonly status: 'open' | 'failed';
  /** Why it failed, in a text that a lessee may read. */
  readonly reason?: string;
  /** Left out: as it was. */
  readonly phase?: HandoverPhase;
  /** Added to those that are there. */
  readonly steps?: readonly HandoverStep[];
  /** Added to those that are there, each once. */
  readonly erased?: HandoverRecord['erased'];
  readonly put_back?: HandoverRecord['put_back'];
  readonly agent?: string;
  /** As read from the hardware now. */
  readonly firmware?: HandoverRecord['firmware'];
}

/** The handovers of the system of record. Everything throws `AppError`. */
export interface HandoverBook {
  /** Undefined when there is none. */
  readonly get: (context: CallContext, uuid: string) => Promise<HandoverRecord | undefined>;
  /** Records its progress; safe to repeat. */
  readonly report: (
    context: CallContext,
    uuid: string,
    report: HandoverReport,
  ) => Promise<HandoverRecord>;
  /** Everything is done: the node is handed over. Safe to repeat. */
  readonly complete: (context: CallContext, uuid: string) => Promise<HandoverRecord>;
}
