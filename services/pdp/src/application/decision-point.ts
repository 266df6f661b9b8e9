import { randomUUID } from 'node:crypto';
import { AppError, UnavailableError } from '@tenure/contracts';
import {
  type Entrypoint,
  isBatchAnswer,
  isPolicyAnswer,
  memberOf,
  type PolicyAnswer,
  PolicyFailure,
  PolicyOutOfMemory,
  PolicyOutOfTime,
  type TypedTables,
  messageOf,
} from '@tenure/policy';
import { isTracing, placeOf, type Span, startSpan } from '@tenure/process';
import { type DecisionRecord } from '../domain/decision-record.js';
import { type DecisionLog } from '../ports/decision-log.js';
import { type ActivePolicy } from './activation/loader.js';
import { type PolicyShadow } from './activation/shadow.js';
import { type DeprecationNotices } from './deprecation-notices.js';
import { type PdpMetrics } from './metrics.js';

export interface DecisionPointOptions {
  readonly policy: () => ActivePolicy;
  readonly log: DecisionLog;
  readonly deprecation: DeprecationNotices;
  readonly metrics: Pick<PdpMetrics, 'answered' | 'deadlineExceeded'>;
  /** Called with every answer; must return quickly and throw nothing. */
  readonly shadow?: Pick<PolicyShadow, 'observe'>;
}

/** A question as received, with the client's data for the log. `input` is undefined when it is missing. */
interface DecisionRequest {
  readonly entrypoint: Entrypoint;
  readonly input: unknown;
  readonly requestedBy: string;
  readonly requestId: string | undefined;
  /** `traceparent` of the question; undefined when the client sent none. */
  readonly traceparent?: string | undefined;
  /** As in `AuditRequest`. */
  readonly auditLimit?: number | null | undefined;
  /** `performance.now()` when the request began. */
  readonly startedAt: number;
}

/** An answer that was made. */
interface Answered {
  /** The answer's body: `{"decision_id": …, "result": …}`. */
  readonly body: string;
  /** The body must not be sent before this is fulfilled, and never when it rejects: the decision would not be recorded. */
  readonly logged: Promise<void> | undefined;
}

export interface DecisionPoint {
  /**
   * @throws AppError 500 when the policy fails or answers oddly, 503 when it took too much time or memory: always a denial,
   *   always logged; 429 or 503 when the log would not accept its record: such a question is not decided, and is counted
   */
  readonly answer: (request: DecisionRequest) => Answered;
  readonly revision: () => string;
  /** Of the policy in service. */
  readonly tables: () => TypedTables;
}

interface Verdict {
  /** The checked answer of the policy. */
  readonly answer: unknown;
  readonly outcome: 'allow' | 'deny' | 'batch';
  readonly resultText: string;
  readonly deprecated: readonly DeprecatedAnswer[];
}

/** An action that deprecated rules allowed, and their grants. */
type DeprecatedAnswer = readonly [action: string, grants: readonly string[]];

const NOTHING_DEPRECATED: readonly DeprecatedAnswer[] = [];

type Outcome = Pick<DecisionRecord, 'resultText' | 'error' | 'evaluationMs'>;

/** Evaluates the policy in service, checks and logs its answer, and makes every failure a denial. */
export function createDecisionPoint(options: DecisionPointOptions): DecisionPoint {
  const { log, deprecation, metrics } = options;

  const judge = createJudge(metrics);

  const answerIn = (request: DecisionRequest, span: Span | undefined): Answered => {
    log.admit(request);
    const policy = options.policy();
    const decisionId = randomUUID();
    span?.setAttributes({ 'tenure.decision_id': decisionId });
    const began = performance.now();
    const made = { decisionId, revision: policy.revision, trace: span?.place };
    const record = (outcome: Outcome): Promise<void> | undefined =>
      log.record(recordOf(request, made, outcome));
    let verdict: Verdict;
    try {
      verdict = judge(request, policy);
    } catch (error) {
      const evaluationMs = performance.now() - began;
      metrics.answered('error', evaluationMs / 1000);
      // The question is refused in any case, so the answer does not wait for the record.
      record({ resultText: undefined, error: messageOf(error), evaluationMs })?.catch(ignored);
      throw errorFor(error);
    }
    const { outcome, resultText, deprecated } = verdict;
    span?.setAttributes({ 'tenure.outcome': outcome });
    const evaluationMs = performance.now() - began;
    metrics.answered(outcome, evaluationMs / 1000);
    const logged = record({ resultText, error: undefined, evaluationMs });
    for (const [action, grants] of deprecated)
      deprecation.used({ action, grants, decisionId }, policy.actions);
    options.shadow?.observe({
      entrypoint: request.entrypoint,
      input: request.input,
      decisionId,
      answer: verdict.answer,
    });
    return { body: `{"decision_id":"${decisionId}","result":${resultText}}`, logged };
  };
  return {
    answer: (request) => within(request, (span) => answerIn(request, span)),
    revision: () => options.policy().revision,
    tables: options.policy,
  };
}

/** The engine bounds the time and the memory of an evaluation; running out of either is a denial. */
const createJudge =
  (metrics: DecisionPointOptions['metrics']) =>
  (request: DecisionRequest, { engine, revision }: ActivePolicy): Verdict => {
    let answer: unknown;
    try {
      answer = engine.evaluate(request.entrypoint, request.input);
    } catch (error) {
      if (error instanceof PolicyOutOfTime) {
        metrics.deadlineExceeded();
        throw new UnavailableError('The policy took too long; access is denied.', { cause: error });
      }
      if (error instanceof PolicyOutOfMemory)
        throw new UnavailableError('The policy took too much memory; access is denied.', {
          cause: error,
        });
      throw error;
    }
    return verdictOf(request, answer, revision);
  };

const recordOf = (
  { entrypoint, input, requestedBy, requestId, startedAt }: DecisionRequest,
  made: Pick<DecisionRecord, 'decisionId' | 'revision' | 'trace'>,
  outcome: Outcome,
): DecisionRecord => ({
  ...made,
  ...outcome,
  entrypoint,
  input,
  requestedBy,
  requestId,
  handlerMs: performance.now() - startedAt,
});

/** The log reports its own write failures. */
const ignored = (): void => undefined;

const errorFor = (error: unknown): AppError =>
  error instanceof AppError
    ? error
    : new AppError('policy_failed', 500, 'The policy could not be evaluated; access is denied.', {
        cause: error,
      });

function within(request: DecisionRequest, answer: (span: Span | undefined) => Answered): Answered {
  const span = spanOf(request);
  try {
    return answer(span);
  } catch (error) {
    span?.failed(error instanceof AppError ? error.code : 'error');
    throw error;
  } finally {
    span?.end();
  }
}

function verdictOf(
  { entrypoint, input }: DecisionRequest,
  answer: unknown,
  revision: string,
): Verdict {
  if (entrypoint === 'decision' && isPolicyAnswer(answer))
    return {
      answer,
      outcome: answer.allow ? 'allow' : 'deny',
      resultText: JSON.stringify({ ...answer, revision }),
      deprecated:
        answer.deprecated === undefined
          ? NOTHING_DEPRECATED
          : [[String(memberOf(input, 'action')), answer.deprecated]],
    };
  if (entrypoint === 'batch' && isBatchAnswer(answer)) {
    const stamped = Object.entries(answer).map(([action, decision]): [string, unknown] => [
      action,
      { ...decision, revision },
    ]);
    return {
      answer,
      outcome: 'batch',
      resultText: JSON.stringify(Object.fromEntries(stamped)),
      deprecated: deprecatedOf(Object.entries(answer)),
    };
  }
  throw new PolicyFailure('the policy gave an answer that is not a decision');
}

const deprecatedOf = (
  answers: readonly (readonly [action: string, answer: PolicyAnswer])[],
): readonly DeprecatedAnswer[] =>
  answers.flatMap(([action, { deprecated }]): readonly DeprecatedAnswer[] =>
    deprecated === undefined ? [] : [[action, deprecated]],
  );

/** The span of a question, in the trace of its client; undefined while tracing is off. */
const spanOf = ({ entrypoint, input, requestId, traceparent }: DecisionRequest): Span | undefined =>
  isTracing()
    ? startSpan(`evaluate ${entrypoint}`, {
        kind: 'server',
        parent: placeOf(traceparent) ?? null,
        attributes: {
          'tenure.request_id': requestId,
          'tenure.action': textIn(input, 'action'),
        },
      })
    : undefined;

function textIn(input: unknown, name: string): string | undefined {
  const value = memberOf(input, name);
  return typeof value === 'string' ? value : undefined;
}
