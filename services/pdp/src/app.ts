import { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { AppError, NotFoundError, toAppError, UnauthorizedError } from '@tenure/contracts';
import { parseJson } from '@tenure/http';
import { type Entrypoint } from '@tenure/policy';
import { type Logger, type RequestMetrics } from '@tenure/process';
import { type DecisionPoint } from './application/decision-point.js';
import { converse } from './dialects/converse.js';
import { DIALECTS } from './dialects/dialects.js';
import {
  batchAnswer,
  type BatchEntry,
  auditLimitsOf,
  questionsOf,
  traceparentsOf,
} from './http/batch-of-questions.js';
import { type ClientCheck } from './http/client-tokens.js';
import { collectBody } from './http/collect-body.js';
import { type Exchange, fail, requireMethod, send } from './http/exchange.js';
import { inputOf, requireJson } from './http/question-body.js';
import { askerIn, idIn, pathOf, peerOf } from './http/request-facts.js';

export interface AppOptions {
  readonly point: DecisionPoint;
  /** Where clients reach this decision point, without a slash at its end. */
  readonly publicUrl: string;
  readonly isClient: ClientCheck;
  readonly logger: Pick<Logger, 'error' | 'debug'>;
  /** Where requests are counted; nowhere when absent. */
  readonly metrics?: RequestMetrics | undefined;
}

/** Bytes of a question, and of a batch of them. */
const BODY_LIMIT = 256 * 1024;
const BATCH_LIMIT = 4 * 1024 * 1024;
const DATA_PATH = '/v1/data/tenure/authz/';
const BATCH_PATH = '/v1/batch/data/tenure/authz/decision';
const REVISION_PATH = '/v1/policy/revision';

type QuestionRequest = Omit<Parameters<DecisionPoint['answer']>[0], 'entrypoint'>;

const isAnswered = (entry: readonly [string, ReturnType<typeof answerOne>]): entry is BatchEntry =>
  !(entry[1] instanceof Promise);

/** The handler of a path. */
interface Served {
  /** The route in metrics; all unknown paths share one. */
  readonly template: string;
  readonly serve: (exchange: Exchange) => void;
}

const servedAt = (template: string, serve: Served['serve']): readonly [string, Served] => [
  template,
  { template, serve },
];

const SERVED: ReadonlyMap<string, Served> = new Map([
  servedAt(`${DATA_PATH}decision`, (exchange) => {
    decide(exchange, 'decision');
  }),
  servedAt(`${DATA_PATH}batch`, (exchange) => {
    decide(exchange, 'batch');
  }),
  servedAt(BATCH_PATH, decideMany),
  servedAt(REVISION_PATH, sendRevision),
]);

const NOTHING: Served = {
  template: 'none',
  serve: () => {
    throw new NotFoundError('There is no such document here.');
  },
};

/**
 * The decision API: OPA's Data API for `tenure/authz/decision` and `tenure/authz/batch`.
 * On node:http because a framework would cost more than the decision. Errors are RFC 9457 problems, never a result.
 */
export const createApp =
  ({ point, isClient, publicUrl, logger, metrics }: AppOptions): RequestListener =>
  (request, response) => {
    const served = servedIn(request);
    if (metrics !== undefined) measure(metrics, served, request, response);
    try {
      if (!isClient(request.headers.authorization))
        throw new UnauthorizedError('A client token is required.', {
          headers: { 'WWW-Authenticate': 'Bearer' },
        });
      served.serve({ request, response, point, publicUrl, logger });
    } catch (error) {
      fail(logger, { request, response, thrown: error });
    }
  };

function decide(exchange: Exchange, entrypoint: Entrypoint): void {
  const { request, response, point } = exchange;
  withBody(exchange, BODY_LIMIT, (body, startedAt) => {
    const input = inputOf(body);
    const answered = point.answer({ entrypoint, input, ...askerIn(request), startedAt });
    whenLogged(exchange, answered.logged, () => {
      send(request, response, answered.body);
    });
  });
}

/** Many questions in one request, in the form of Enterprise OPA's batch API; each is decided and logged by itself. */
function decideMany(exchange: Exchange): void {
  const { request } = exchange;
  withBody(exchange, BATCH_LIMIT, (body, startedAt) => {
    const requestedBy = peerOf(request);
    const parsed = parseJson(body);
    const traceparentFor = traceparentsOf(parsed);
    const auditLimitFor = auditLimitsOf(parsed);
    const entries = questionsOf(parsed).map(([name, input]) => {
      const requestId = idIn(name);
      const traceparent = traceparentFor(name);
      const auditLimit = auditLimitFor(name);
      const question = { input, requestedBy, requestId, traceparent, auditLimit, startedAt };
      return [name, answerOne(exchange, question)] as const;
    });
    if (entries.every(isAnswered)) {
      sendMany(exchange, entries);
      return;
    }
    const pending = entries.map(async ([name, answer]): Promise<BatchEntry> => [
      name,
      await answer,
    ]);
    void Promise.all(pending).then((all) => {
      sendMany(exchange, all);
    });
  });
}

function sendRevision({ request, response, point }: Exchange): void {
  requireMethod(request, 'GET');
  send(request, response, JSON.stringify({ revision: point.revision() }));
}

/** Reads a whole body and passes it to `handle`. Any error is answered with a problem, never with a result. */
function withBody(
  { request, response, logger }: Exchange,
  limit: number,
  handle: (body: Buffer, startedAt: number) => void,
): void {
  const startedAt = performance.now();
  requireMethod(request, 'POST');
  requireJson(request.headers['content-type'], request.headers['content-encoding']);
  collectBody(request, limit, (body) => {
    try {
      if (body instanceof AppError) throw body;
      handle(body, startedAt);
    } catch (error) {
      fail(logger, { request, response, thrown: error });
    }
  });
}

/** Sends an answer at once, or after its record is written when it has to be logged first. */
function whenLogged(
  { request, response, logger }: Exchange,
  logged: Promise<void> | undefined,
  answer: () => void,
): void {
  if (logged === undefined) answer();
  else
    logged.then(answer).catch((error: unknown) => {
      fail(logger, { request, response, thrown: error });
    });
}

/** Answers one question of a batch. A failure affects only this question. A promise is returned when its record must be written first. */
function answerOne(
  exchange: Exchange,
  question: QuestionRequest,
): string | AppError | Promise<string | AppError> {
  try {
    const { body, logged } = exchange.point.answer({ entrypoint: 'decision', ...question });
    return logged === undefined
      ? body
      : logged.then(
          () => body,
          (error: unknown) => refused(exchange, question, error),
        );
  } catch (error) {
    return refused(exchange, question, error);
  }
}

function sendMany({ request, response }: Exchange, entries: readonly BatchEntry[]): void {
  const { status, body } = batchAnswer(entries);
  send(request, response, body, status);
}

function refused({ logger }: Exchange, { requestId }: QuestionRequest, thrown: unknown): AppError {
  const error = toAppError(thrown);
  const line = { err: error, code: error.code, req_id: requestId };
  if (error.status >= 500) logger.error(line, error.message);
  else logger.debug(line, error.message);
  return error;
}

function servedIn(request: IncomingMessage): Served {
  const path = pathOf(request);
  const served = SERVED.get(path);
  if (served !== undefined) return served;
  const dialect = DIALECTS.find(({ answers }) => answers(path));
  if (dialect === undefined) return NOTHING;
  return {
    template: 'dialect',
    serve: (exchange) => {
      converse(exchange, dialect, path);
    },
  };
}

function measure(
  metrics: RequestMetrics,
  { template }: Served,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const ended = metrics.began();
  response.once('close', () => {
    ended({ method: request.method ?? '', route: template, status: response.statusCode });
  });
}
