import { AppError, DecisionAnswer, matches, UnavailableError } from '@tenure/contracts';
import { repeatOnFailedConnection } from '@tenure/http';
import { type ObserveDependency, observed, traced, traceHeaders } from '@tenure/process';
import { type DecisionPoint } from '../ports/decision-point.js';
import { type AuditLimits } from './audit-limits.js';
import { createJsonPost, type JsonPost } from './json-post.js';

export interface PdpOptions {
  /** For example `http://127.0.0.1:8181`. */
  readonly baseUrl: string;
  /** Returns the current bearer token for the decision API; undefined on loopback. */
  readonly token: (() => string) | undefined;
  /** Called with the outcome of each request to the PDP, whatever its number of questions. */
  readonly observe?: ObserveDependency | undefined;
  /** Limits of projects for the PDP's decision log. */
  readonly auditLimits?: Pick<AuditLimits, 'of'> | undefined;
}

/** A question that waits for its answer. */
interface Waiting {
  readonly requestId: string;
  readonly text: string;
  /** Undefined while tracing is off. */
  readonly traceparent: string | undefined;
  /** Bytes of log a day; null: no limit; undefined: no operator set one. */
  readonly auditLimit: number | null | undefined;
  readonly bytes: number;
  /** `performance.now()` at which it times out. */
  readonly until: number;
  readonly answered: (answer: DecisionAnswer) => void;
  readonly failed: (cause: unknown) => void;
}

const TARGET = '/v1/batch/data/tenure/authz/decision';
const MAX_QUESTIONS = 64;
// Both are well below the limits of the PDP: a refused request would fail every question in it.
const MAX_BATCH_BYTES = 1024 * 1024;
const MAX_QUESTION_BYTES = 200 * 1024;
// Few, so that questions are batched while the PDP is busy; more than one, so that one slow answer does not block all.
const MAX_IN_FLIGHT = 2;

const bodyOf = (batch: readonly Waiting[]): string =>
  `{"inputs":{${batch.map(({ requestId, text }) => `${JSON.stringify(requestId)}:${text}`).join(',')}}${tracesOf(batch)}${auditLimitsOf(batch)}}`;

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;

const DEFAULT_RETRY_SECONDS = 60;

/** Sends the queued questions as soon as fewer than MAX_IN_FLIGHT requests are in flight. */
class QuestionQueue {
  readonly #post: JsonPost['post'];
  readonly #queue: Waiting[] = [];
  #inFlight = 0;
  #isScheduled = false;

  constructor(post: JsonPost['post']) {
    this.#post = post;
  }

  add(waiting: Waiting): void {
    this.#queue.push(waiting);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // After the event loop has read what has arrived by now, so that all of it goes in one request.
    setImmediate(() => {
      this.#isScheduled = false;
      this.#sendAll();
    });
  }

  #sendAll(): void {
    while (this.#inFlight < MAX_IN_FLIGHT && this.#queue.length > 0) {
      const now = performance.now();
      const batch = takeBatch(this.#queue, now);
      if (batch.length > 0) void this.#send(batch, now);
    }
  }

  async #send(batch: readonly Waiting[], now: number): Promise<void> {
    this.#inFlight += 1;
    try {
      const deadlineMs = Math.max(...batch.map(({ until }) => until)) - now;
      handOut(batch, await this.#post(bodyOf(batch), Math.ceil(deadlineMs)));
    } catch (error) {
      for (const waiting of batch) waiting.failed(error);
    } finally {
      this.#inFlight -= 1;
      this.#sendAll();
    }
  }
}

/**
 * Queries the PDP over keep-alive connections (docs/contracts/policy-input.md). Questions of the same moment are batched into one
 * request, because a round trip costs several times as much as a decision. Each is decided and logged separately.
 */
export function createPdpClient(
  options: PdpOptions,
): DecisionPoint & { readonly close: () => void } {
  const post = createJsonPost(new URL(TARGET, options.baseUrl), options.token);
  const queue = new QuestionQueue((body, deadlineMs) => {
    const until = performance.now() + deadlineMs;
    const leftMs = (): number => Math.max(1, Math.ceil(until - performance.now()));
    const once = (): Promise<string> =>
      observed(options.observe, 'pdp', () => post.post(body, leftMs()));
    // Questions are idempotent.
    return repeatOnFailedConnection(once, true);
  });
  const ask: DecisionPoint['decide'] = (question, requestId, deadlineMs) =>
    new Promise((resolve, reject) => {
      const text = JSON.stringify(question);
      const bytes = Buffer.byteLength(text);
      if (bytes > MAX_QUESTION_BYTES) throw tooLarge();
      const timer = setTimeout(() => {
        reject(unavailable(new Error('the PDP did not answer in time')));
      }, deadlineMs);
      queue.add({
        requestId,
        text,
        bytes,
        traceparent: traceHeaders()['traceparent'],
        auditLimit: options.auditLimits?.of(question.subject),
        until: performance.now() + deadlineMs,
        answered: (answer) => {
          clearTimeout(timer);
          resolve(answer);
        },
        failed: (cause) => {
          clearTimeout(timer);
          reject(cause instanceof AppError ? cause : unavailable(cause));
        },
      });
    });
  return {
    decide: (question, requestId, deadlineMs) =>
      traced('decision', () => ask(question, requestId, deadlineMs), {
        kind: 'client',
        attributes: { 'peer.service': 'tenure-pdp', 'tenure.action': question.action },
      }),
    close: post.close,
  };
}

/** Each question belongs to its own trace, so its trace context is sent per question rather than per request. */
function tracesOf(batch: readonly Waiting[]): string {
  const places = batch.flatMap(({ requestId, traceparent }) =>
    traceparent === undefined ? [] : [[requestId, traceparent]],
  );
  return places.length === 0 ? '' : `,"traceparents":${JSON.stringify(Object.fromEntries(places))}`;
}

function auditLimitsOf(batch: readonly Waiting[]): string {
  const limits = batch.flatMap(({ requestId, auditLimit }) =>
    auditLimit === undefined ? [] : [[requestId, auditLimit] as const],
  );
  return limits.length === 0 ? '' : `,"audit_limits":${JSON.stringify(Object.fromEntries(limits))}`;
}

/** Takes the questions for one request, by number and size: without duplicate ids, and without those that timed out. */
function takeBatch(queue: Waiting[], now: number): readonly Waiting[] {
  const batch = new Map<string, Waiting>();
  let bytes = 0;
  for (;;) {
    const [next] = queue;
    if (next === undefined || batch.size === MAX_QUESTIONS || batch.has(next.requestId)) break;
    if (next.until > now) {
      if (bytes + next.bytes > MAX_BATCH_BYTES) break;
      bytes += next.bytes;
      batch.set(next.requestId, next);
    }
    queue.shift();
  }
  return [...batch.values()];
}

/**
 * Passes each question its own answer. A malformed answer fails only its question.
 * @throws Error when there are no answers
 */
function handOut(batch: readonly Waiting[], text: string): void {
  const responses = memberOf(JSON.parse(text), 'responses');
  if (responses === undefined) throw new Error('the PDP answered none of the questions');
  for (const waiting of batch) {
    const answer = memberOf(responses, waiting.requestId);
    if (matches(DecisionAnswer, answer)) waiting.answered(answer);
    else waiting.failed(refusalIn(answer));
  }
}

/** The PDP's own message for a question that it could not answer now. These messages contain no secret. */
function refusalIn(answer: unknown): Error {
  const message = memberOf(answer, 'message');
  const status = memberOf(answer, 'http_status_code');
  if (typeof message === 'string' && status === '503')
    return new UnavailableError(message, { headers: retryIn(answer) });
  if (typeof message === 'string' && status === '429')
    return new AppError('quota_exceeded', 429, message, {
      headers: retryIn(answer, DEFAULT_RETRY_SECONDS),
    });
  return new Error('the answer is not a decision');
}

/** `Retry-After`, in whole seconds. */
function retryIn(answer: unknown, fallback?: number): Readonly<Record<string, string>> {
  const named = Number(memberOf(answer, 'retry_after'));
  const seconds = Number.isSafeInteger(named) ? named : fallback;
  return seconds === undefined ? {} : { 'Retry-After': String(seconds) };
}

const tooLarge = (): AppError =>
  new AppError('too_large', 413, 'The request names too many fields to be judged at once.');

const unavailable = (cause: unknown): UnavailableError =>
  new UnavailableError('The policy could not be queried.', { cause });
