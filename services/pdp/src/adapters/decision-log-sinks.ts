import { type DecisionRecord } from '../domain/decision-record.js';
import { type DecisionLog } from '../ports/decision-log.js';
import { type LineBatch } from './line-batch.js';

/** A destination of records: it takes their members as JSON text without braces. */
export interface RecordSink {
  /** As `DecisionLog.record`. */
  readonly add: (members: string) => Promise<void> | undefined;
}

const HEAD =
  '{"level":"info","name":"pdp","msg":"Decision Log","type":"openpolicyagent.org/decision_logs",';

/** Shares of accounts in a log that is kept in files; other logs have no shares. */
export interface ShareLimiter extends Pick<DecisionLog, 'admit'> {
  /** @param bytes of a record about this question */
  readonly charge: (input: unknown, bytes: number) => void;
}

const noShares: ShareLimiter = { admit: () => undefined, charge: () => undefined };

/** For `PDP_DECISION_LOG=none`. */
export const noDecisionLog: DecisionLog = { admit: () => undefined, record: () => undefined };

/** Writes records among the log lines of the process. A slow reader loses lines. */
export const stdoutSink = (lines: Pick<LineBatch, 'add'>): RecordSink => ({
  add: (members) => {
    lines.add(`${HEAD}${members}}\n`);
    return undefined;
  },
});

/** A log with several sinks. The answer waits for each sink that returns a promise. */
export const createDecisionLog = (
  textOf: (entry: DecisionRecord) => string,
  sinks: readonly RecordSink[],
  shares: ShareLimiter = noShares,
): DecisionLog => ({
  admit: shares.admit,
  record: (entry) => {
    const text = textOf(entry);
    shares.charge(entry.input, Buffer.byteLength(text));
    return sinks.reduce<Promise<void> | undefined>(
      (written, sink) => both(written, sink.add(text)),
      undefined,
    );
  },
});

const both = (
  first: Promise<void> | undefined,
  second: Promise<void> | undefined,
): Promise<void> | undefined =>
  first === undefined || second === undefined
    ? (first ?? second)
    : Promise.all([first, second]).then(() => undefined);
