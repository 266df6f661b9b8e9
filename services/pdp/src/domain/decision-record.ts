import { type Entrypoint } from '@tenure/policy';

/** One answer, as it is logged. Field names on the wire are those of OPA's decision logs. */
export interface DecisionRecord {
  readonly decisionId: string;
  readonly entrypoint: Entrypoint;
  /** The question as it came; the log masks it. */
  readonly input: unknown;
  /** The answer as JSON text, or undefined when there was none. */
  readonly resultText: string | undefined;
  readonly error: string | undefined;
  /** `evaluation_error` when absent. */
  readonly errorCode?: 'evaluation_error' | 'over_budget' | undefined;
  readonly requestedBy: string;
  readonly requestId: string | undefined;
  /** The span of the answer; undefined while tracing is off. */
  readonly trace?: { readonly traceId: string; readonly spanId: string } | undefined;
  readonly revision: string;
  readonly evaluationMs: number;
  readonly handlerMs: number;
}
