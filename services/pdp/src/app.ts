import { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import {
  AppError,
  type Decision,
  type DecisionAnswer,
  NotFoundError,
  toAppError,
  toProblem,
  UnauthorizedError,
} from '@tenure/contracts';
import { parseJson } from '@tenure/http';
import { type Entrypoint } from '@tenure/policy';
import { type Logger, type RequestMetrics } from '@tenure/process';
import { type DecisionPoint } from './decision-point.js';
import { type Asking, type Decided, type Dialect, type DialectAnswer } from './dialects/dialect.js';
import { DIALECTS } from './dialects/dialects.js';
import {
  batchAnswer,
  type BatchEntry,
  questionsOf,
  traceparentsOf,
} from './http/batch-of-questions.js';
import { type ClientCheck } from './http/client-tokens.js';
import { collectBody } from './http/collect-body.js';
import { inputOf, requireJson } from './http/question-body.js';
import { askerIn, idIn, pathOf, peerOf, requestIdOf } from './http/request-facts.js';

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
const REQUEST_ID_HEADER = 'X-Openstack-Request-Id';

const entrypointOf = (path: string): Entrypoint | undefined => {
  if (path === `${DATA_PATH}decision`) return 'decision';
  return path === `${DATA_PATH}batch` ? 'batch' : undefined;
};

const requireMethod = (request: IncomingMessage, allowed: string): void => {
  if (request.method !== allowed)
    throw new AppError('method_not_allowed', 405, `Only ${allowed} is served here.`, {
      headers: { Allow: allowed },
    });
};

const send = (
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
  status = 200,
): void => {
  // An array is written as it is; an object would be copied and checked. All values here are ours.
  const headers = [
    'Content-Type',
    'application/json',
    'Content-Length',
    String(Buffer.byteLength(body)),
  ];
  const requestId = requestIdOf(request);
  if (requestId !== undefined) headers.push(REQUEST_ID_HEADER, requestId);
  response.writeHead(status, headers).end(body);
};

interface Failure {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly thrown: unknown;
}

const fail = (logger: AppOptions['logger'], { request, response, thrown }: Failure): void => {
  const error = toAppError(thrown);
  const requestId = requestIdOf(request);
  const line = { err: error, code: error.code, status: error.status, req_id: requestId };
  if (error.status >= 500) logger.error(line, error.message);
  else logger.debug(line, error.message);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const body = JSON.stringify(toProblem(error));
  response
    .writeHead(error.status, {
      ...error.headers,
      'Content-Type': 'application/problem+json',
      'Content-Length': Buffer.byteLength(body),
      ...(requestId !== undefined && { [REQUEST_ID_HEADER]: requestId }),
    })
    .end(body);
};

/** What the handlers of one request share. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly point: DecisionPoint;
  readonly publicUrl: string;
  readonly logger: AppOptions['logger'];
}

/** Takes a whole body, and lets `handle` answer it; whatever it throws is a problem, never a result. */
const withBody = (
  { request, response, logger }: Exchange,
  limit: number,
  handle: (body: Buffer, startedAt: number) => void,
): void => {
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
};

/** Sends at once what need not be on record first. */
const whenLogged = (
  { request, response, logger }: Exchange,
  logged: Promise<void> | undefined,
  answer: () => void,
): void => {
  if (logged === undefined) answer();
  else
    logged.then(answer).catch((error: unknown) => {
      fail(logger, { request, response, thrown: error });
    });
};

const sendDialect = (
  response: ServerResponse,
  { status, headers, type, body }: DialectAnswer,
): void => {
  response
    .writeHead(status, {
      ...headers,
      'Content-Type': type,
      'Content-Length': Buffer.byteLength(body),
    })
    .end(body);
};

/** Asks as the Data API would: each question is decided, logged and waited for in the same way. */
const askingFor = ({ request, point, publicUrl }: Exchange, startedAt: number): Asking => {
  const from = { ...askerIn(request), startedAt };
  const answerTo = async (entrypoint: Entrypoint, input: unknown): Promise<string> => {
    const { body, logged } = point.answer({ entrypoint, input, ...from });
    await logged;
    return body;
  };
  return {
    ask: async (question) =>
      decidedIn(JSON.parse(await answerTo('decision', question)) as DecisionAnswer), // our own answer
    askMany: async (question, actions) =>
      resultIn(JSON.parse(await answerTo('batch', { ...question, actions })) as BatchResult), // our own answer
    tables: point.tables(),
    now: () => new Date().toISOString(),
    publicUrl,
  };
};

interface BatchResult {
  readonly result: Readonly<Record<string, Decision>>;
}
const resultIn = ({ result }: BatchResult): BatchResult['result'] => result;
const decidedIn = ({ decision_id: decisionId, result: decision }: DecisionAnswer): Decided => ({
  decisionId,
  decision,
});

const decide = (exchange: Exchange, entrypoint: Entrypoint): void => {
  const { request, response, point } = exchange;
  withBody(exchange, BODY_LIMIT, (body, startedAt) => {
    const input = inputOf(body);
    const answered = point.answer({ entrypoint, input, ...askerIn(request), startedAt });
    whenLogged(exchange, answered.logged, () => {
      send(request, response, answered.body);
    });
  });
};

type AskedOne = Omit<Parameters<DecisionPoint['answer']>[0], 'entrypoint'>;

const refused = ({ logger }: Exchange, { requestId }: AskedOne, thrown: unknown): AppError => {
  const told = toAppError(thrown);
  logger.error({ err: told, code: told.code, req_id: requestId }, told.message);
  return told;
};

/** One of many: its failure is its own. Only what has to be on record first is waited for. */
const answerOne = (
  exchange: Exchange,
  asked: AskedOne,
): string | AppError | Promise<string | AppError> => {
  try {
    const { body, logged } = exchange.point.answer({ entrypoint: 'decision', ...asked });
    return logged === undefined
      ? body
      : logged.then(
          () => body,
          (error: unknown) => refused(exchange, asked, error),
        );
  } catch (error) {
    return refused(exchange, asked, error);
  }
};

const sendMany = ({ request, response }: Exchange, entries: readonly BatchEntry[]): void => {
  const { status, body } = batchAnswer(entries);
  send(request, response, body, status);
};

const isSettled = (entry: readonly [string, ReturnType<typeof answerOne>]): entry is BatchEntry =>
  !(entry[1] instanceof Promise);

/** Many questions in one request, in the form of Enterprise OPA's batch API; each is decided and logged by itself. */
const decideMany = (exchange: Exchange): void => {
  const { request } = exchange;
  withBody(exchange, BATCH_LIMIT, (body, startedAt) => {
    const requestedBy = peerOf(request);
    const parsed = parseJson(body);
    const traceparentFor = traceparentsOf(parsed);
    const entries = questionsOf(parsed).map(([name, input]) => {
      const requestId = idIn(name);
      const traceparent = traceparentFor(name);
      const asked = { input, requestedBy, requestId, traceparent, startedAt };
      return [name, answerOne(exchange, asked)] as const;
    });
    if (entries.every(isSettled)) {
      sendMany(exchange, entries);
      return;
    }
    const settled = entries.map(async ([name, answer]): Promise<BatchEntry> => [
      name,
      await answer,
    ]);
    void Promise.all(settled).then((all) => {
      sendMany(exchange, all);
    });
  });
};

/** Another dialect, and the questions that follow from it. */
const converse = (exchange: Exchange, dialect: Dialect, path: string): void => {
  const { request, response, logger } = exchange;
  const startedAt = performance.now();
  const refuse = (thrown: unknown): void => {
    if (dialect.refusal === undefined) fail(logger, { request, response, thrown });
    else sendDialect(response, dialect.refusal(toAppError(thrown)));
  };
  collectBody(request, dialect.bodyLimit, (body) => {
    if (body instanceof AppError) {
      refuse(body);
      return;
    }
    const { method = '', headers } = request;
    dialect
      .answer({ method, path, headers, body }, askingFor(exchange, startedAt))
      .then((answer) => {
        sendDialect(response, answer);
      })
      .catch(refuse);
  });
};

/** A template for metrics: what nobody serves has no name of its own. */
const templateOf = (path: string): string => {
  const isServed =
    entrypointOf(path) !== undefined || path === BATCH_PATH || path === REVISION_PATH;
  if (isServed) return path;
  return DIALECTS.some(({ answers }) => answers(path)) ? 'dialect' : 'none';
};

const measure = (
  metrics: RequestMetrics,
  request: IncomingMessage,
  response: ServerResponse,
): void => {
  const ended = metrics.began();
  response.once('close', () => {
    const route = templateOf(pathOf(request));
    ended({ method: request.method ?? '', route, status: response.statusCode });
  });
};

const route = (exchange: Exchange): void => {
  const { request, response, point } = exchange;
  const path = pathOf(request);
  const entrypoint = entrypointOf(path);
  const dialect = DIALECTS.find(({ answers }) => answers(path));
  if (entrypoint !== undefined) decide(exchange, entrypoint);
  else if (path === BATCH_PATH) decideMany(exchange);
  else if (path === REVISION_PATH) {
    requireMethod(request, 'GET');
    send(request, response, JSON.stringify({ revision: point.revision() }));
  } else if (dialect !== undefined) converse(exchange, dialect, path);
  else throw new NotFoundError('There is no such document here.');
};

/**
 * The decision API: OPA's Data API for `tenure/authz/decision` and `tenure/authz/batch`.
 * On node:http because a framework would cost more than the decision. Errors are RFC 9457 problems, never a result.
 */
export const createApp =
  ({ point, isClient, publicUrl, logger, metrics }: AppOptions): RequestListener =>
  (request, response) => {
    if (metrics !== undefined) measure(metrics, request, response);
    try {
      if (!isClient(request.headers.authorization))
        throw new UnauthorizedError('A client token is required.', {
          headers: { 'WWW-Authenticate': 'Bearer' },
        });
      route({ request, response, point, publicUrl, logger });
    } catch (error) {
      fail(logger, { request, response, thrown: error });
    }
  };
