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
  wordsOf,
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
  /** Told of answers that were given; must cost nothing and throw nothing. */
  readonly shadow?: Pick<PolicyShadow, 'observe'>;
}

/** A question as it came, and what the log says of its asker. `input` is undefined when there was none. */
interface Asked {
  readonly entrypoint: Entrypoint;
  readonly input: unknown;
  readonly requestedBy: string;
  readonly requestId: string | undefined;
  /** `traceparent` of the question; undefined when its asker follows no trace. */
  readonly traceparent?: string | undefined;
  /** As in `AuditAsked`. */
  readonly auditLimit?: number | null | undefined;
  /** `performance.now()` when the request began. */
  readonly startedAt: number;
}

/** An answer that was made. */
interface Answered {
  /** The answer's body: `{"decision_id": …, "result": …}`. */
  readonly body: string;
  /** The body must not be sent before this is fulfilled, and never when it rejects: the decision would not be on record. */
  readonly logged: Promise<void> | undefined;
}

export interface DecisionPoint {
  /**
   * @throws AppError 500 when the policy fails or answers oddly, 503 when it took too much time or memory: always a denial,
   *   always logged; 429 or 503 when the log would not accept its record: such a question is not decided, and is counted
   */
  readonly answer: (asked: Asked) => Answered;
  readonly revision: () => string;
  /** Of the policy in service. */
  readonly tables: () => TypedTables;
}

interface Verdict {
  /** As the policy gave it, checked. */
  readonly answer: unknown;
  readonly outcome: 'allow' | 'deny' | 'batch';
  readonly resultText: string;
  readonly deprecated: readonly DeprecatedAnswer[];
}

/** An action that rules of old allowed, and their grants. */
type DeprecatedAnswer = readonly [action: string, grants: readonly string[]];

const NOTHING_DEPRECATED: readonly DeprecatedAnswer[] = [];

type Outcome = Pick<DecisionRecord, 'resultText' | 'error' | 'evaluationMs'>;

/** Asks the policy in service, checks what it says, logs it, and turns every failure into a denial. */
export function createDecisionPoint(options: DecisionPointOptions): DecisionPoint {
  const { log, deprecation, metrics } = options;

  const judge = createJudge(metrics);

  const answerIn = (asked: Asked, span: Span | undefined): Answered => {
    log.admit(asked);
    const policy = options.policy();
    const decisionId = randomUUID();
    span?.setAttributes({ 'tenure.decision_id': decisionId });
    const began = performance.now();
    const made = { decisionId, revision: policy.revision, trace: span?.place };
    const record = (outcome: Outcome): Promise<void> | undefined =>
      log.record(recordOf(asked, made, outcome));
    let verdict: Verdict;
    try {
      verdict = judge(asked, policy);
    } catch (error) {
      const evaluationMs = performance.now() - began;
      metrics.answered('error', evaluationMs / 1000);
      // Refused it is in any case, so nobody waits for that to be on record.
      record({ resultText: undefined, error: wordsOf(error), evaluationMs })?.catch(ignored);
      throw toldOf(error);
    }
    const { outcome, resultText, deprecated } = verdict;
    span?.setAttributes({ 'tenure.outcome': outcome });
    const evaluationMs = performance.now() - began;
    metrics.answered(outcome, evaluationMs / 1000);
    const logged = record({ resultText, error: undefined, evaluationMs });
    for (const [action, grants] of deprecated)
      deprecation.used({ action, grants, decisionId }, policy.actions);
    options.shadow?.observe({
      entrypoint: asked.entrypoint,
      input: asked.input,
      decisionId,
      answer: verdict.answer,
    });
    return { body: `{"decision_id":"${decisionId}","result":${resultText}}`, logged };
  };
  return {
    answer: (asked) => within(asked, (span) => answerIn(asked, span)),
    revision: () => options.policy().revision,
    tables: options.policy,
  };
}

/** The engine bounds the time and the memory of an evaluation; running out of either is a denial. */
const createJudge =
  (metrics: DecisionPointOptions['metrics']) =>
  (asked: Asked, { engine, revision }: ActivePolicy): Verdict => {
    let answer: unknown;
    try {
      answer = engine.evaluate(asked.entrypoint, asked.input);
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
    return verdictOf(asked, answer, revision);
  };

const recordOf = (
  { entrypoint, input, requestedBy, requestId, startedAt }: Asked,
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

/** The log itself tells of what it could not write. */
const ignored = (): void => undefined;

const toldOf = (error: unknown): AppError =>
  error instanceof AppError
    ? error
    : new AppError('policy_failed', 500, 'The policy could not be evaluated; access is denied.', {
        cause: error,
      });

function within(asked: Asked, answer: (span: Span | undefined) => Answered): Answered {
  const span = spanOf(asked);
  try {
    return answer(span);
  } catch (error) {
    span?.failed(error instanceof AppError ? error.code : 'error');
    throw error;
  } finally {
    span?.end();
  }
}

function verdictOf({ entrypoint, input }: Asked, answer: unknown, revision: string): Verdict {
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

/** Whoever may ask names the trace; undefined while nobody wants traces. */
const spanOf = ({ entrypoint, input, requestId, traceparent }: Asked): Span | undefined =>
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
