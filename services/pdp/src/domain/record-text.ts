import { seenJson } from '@tenure/contracts';
import { type DecisionRecord } from './decision-record.js';
import { type LoggedInput, loggedInput } from './logged-input.js';

export interface DecisionLabels {
  /** This instance of the part. */
  readonly id: string;
  readonly version: string;
}

const PATHS = { decision: 'tenure/authz/decision', batch: 'tenure/authz/batch' } as const;
const NS_PER_MS = 1e6;

/**
 * Makes records: members in the names of OPA's decision logs, as JSON text without braces.
 * Put together from text because the answer is already JSON text; to write it twice would cost as much as the rest.
 * @param mask the operator's own rules for masking questions
 */
export function recordTexts(
  labels: DecisionLabels,
  mask: (logged: LoggedInput) => LoggedInput,
): (entry: DecisionRecord) => string {
  const labelsText = JSON.stringify(labels);
  return (entry) => {
    const { input, erased, masked } = mask(loggedInput(entry.input));
    const requestId = entry.requestId === undefined ? '' : `,"req_id":"${entry.requestId}"`;
    const trace =
      entry.trace === undefined
        ? ''
        : `,"trace_id":"${entry.trace.traceId}","span_id":"${entry.trace.spanId}"`;
    const metrics = `{"timer_rego_query_eval_ns":${Math.round(entry.evaluationMs * NS_PER_MS)},"timer_server_handler_ns":${Math.round(entry.handlerMs * NS_PER_MS)}}`;
    return seenJson(
      `"decision_id":"${entry.decisionId}","timestamp":"${new Date().toISOString()}","labels":${labelsText},` +
        `"path":"${PATHS[entry.entrypoint]}","requested_by":"${entry.requestedBy}"${requestId}${trace},` +
        `"input":${JSON.stringify(input)}${listed('erased', erased)}${listed('masked', masked)},${outcomeOf(entry)},` +
        `"bundles":{"tenure":{"revision":"${entry.revision}"}},"metrics":${metrics}`,
    );
  };
}

const listed = (name: string, pointers: readonly string[]): string =>
  pointers.length === 0 ? '' : `,"${name}":${JSON.stringify(pointers)}`;

const outcomeOf = ({ resultText, error, errorCode = 'evaluation_error' }: DecisionRecord): string =>
  resultText === undefined
    ? `"error":{"code":"${errorCode}","message":${JSON.stringify(error ?? '')}}`
    : `"result":${resultText}`;
