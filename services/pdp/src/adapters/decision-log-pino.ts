import { loggedInput } from '../domain/logged-input.js';
import { type DecisionLog, type DecisionRecord } from '../ports/decision-log.js';
import { type LineBatch } from './line-batch.js';

export interface DecisionLabels {
  /** This instance of the part. */
  readonly id: string;
  readonly version: string;
}

const PATHS = { decision: 'tenure/authz/decision', batch: 'tenure/authz/batch' } as const;
const NS_PER_MS = 1e6;

/**
 * The decision log: one line for every answer, in the fields of OPA's decision logs.
 * Lines are put together from text because the answer is already JSON text; to write it twice would cost as much as the
 * rest of the line.
 */
export const createPinoDecisionLog = (
  lines: Pick<LineBatch, 'add'>,
  labels: DecisionLabels,
): DecisionLog => {
  const head = `{"level":"info","name":"pdp","msg":"Decision Log","type":"openpolicyagent.org/decision_logs","labels":${JSON.stringify(labels)}`;
  const lineOf = (entry: DecisionRecord): string => {
    const now = new Date().toISOString();
    const evaluationNs = Math.round(entry.evaluationMs * NS_PER_MS);
    const handlerNs = Math.round(entry.handlerMs * NS_PER_MS);
    const requestId = entry.requestId === undefined ? '' : `,"req_id":"${entry.requestId}"`;
    const outcome =
      entry.resultText === undefined
        ? `"error":{"code":"evaluation_error","message":${JSON.stringify(entry.error ?? '')}}`
        : `"result":${entry.resultText}`;
    return `${head},"time":"${now}","timestamp":"${now}","decision_id":"${entry.decisionId}","path":"${PATHS[entry.entrypoint]}","requested_by":"${entry.requestedBy}"${requestId},"input":${JSON.stringify(loggedInput(entry.input))},${outcome},"bundles":{"tenure":{"revision":"${entry.revision}"}},"metrics":{"timer_rego_query_eval_ns":${evaluationNs},"timer_server_handler_ns":${handlerNs}}}\n`;
  };
  return {
    record: (entry) => {
      lines.add(lineOf(entry));
    },
  };
};

/** For `PDP_DECISION_LOG=false`. */
export const noDecisionLog: DecisionLog = { record: () => undefined };
