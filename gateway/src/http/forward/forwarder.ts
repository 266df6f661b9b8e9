import {
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import { Readable } from 'node:stream';
import { AppError, UnavailableError } from '@tenure/contracts';
import { type Spent, SPENT_HEADER, spentIn } from '@tenure/http';
import { createProxyMiddleware, type Plugin, type RequestHandler } from 'http-proxy-middleware';
import { type Upstream } from '../../routes/route.js';
import { createAgent } from '../agent.js';
import { retryHeadersFor } from '../retry-after.js';
import { headersFor, relayedHeaders } from './headers.js';

/** Where the requests to one upstream go. */
export interface Destination {
  readonly url: string;
  /** False for a real Nova instead of Tenure's compute service: it authenticates callers by their own tokens. */
  readonly isOurs: boolean;
}

/** One attempt to forward a request. */
interface Forwarding {
  readonly upstream: Upstream;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The body as received; the request's own stream was read to its end. */
  readonly body: Buffer;
  /** Signs the context, which only Tenure's own services get. */
  readonly context: () => string;
  readonly requestId: string;
  /** The request names a resource. Then a 404 means that it was deleted, unless the service says that a part of it is missing. */
  readonly isNamed: boolean;
  /** Milliseconds in which the service must begin its answer. */
  readonly deadlineMs: number;
  /** Headers that the gateway adds to the answer; they replace the service's own of the same name. */
  readonly answerHeaders: OutgoingHttpHeaders;
}

/**
 * `stale`: the service refused because tenancy changed; `deleted`: the resource was deleted since it was loaded.
 * In both cases nothing was sent to the client.
 */
type Outcome = 'answered' | 'stale' | 'deleted';

interface Forwarded {
  readonly outcome: Outcome;
  /** The service's report of its time and work; undefined from a real Nova. */
  readonly spent: Spent | undefined;
}

export interface Forwarder {
  /**
   * Forwards, and streams the answer to the client untouched.
   * @throws AppError 502, 503 or 504 when the service gave no answer to relay; nothing was sent then
   */
  readonly forward: (forwarding: Forwarding) => Promise<Forwarded>;
  readonly close: () => void;
}

/** An attempt while it waits for the service. */
interface Attempt extends Forwarding {
  readonly isOurs: boolean;
  clientRequest: ClientRequest | undefined;
  timer: NodeJS.Timeout | undefined;
  isCompleted: boolean;
  readonly complete: (outcome: Outcome | AppError) => void;
  spent: Spent | undefined;
}

const STALE_HEADER = 'x-tenure-stale';
const MISSING_HEADER = 'x-tenure-missing';
/** Listeners on one response: each attempt adds a few, and there are at most four. */
const MAX_RESPONSE_LISTENERS = 40;

/**
 * Forwards with http-proxy-middleware 4 (3.x lets requests be smuggled). Its default plugins are left out: they answer
 * errors in plain text and log URLs. Answers are handled here (`selfHandleResponse`), because after a stale answer the
 * request is sent again; every other answer is streamed to the client.
 */
export function createForwarder(
  destinations: Readonly<Record<Upstream, Destination>>,
  idleMs: number,
): Forwarder {
  const agents = {
    inventory: createAgent(destinations.inventory.url),
    conductor: createAgent(destinations.conductor.url),
    allocation: createAgent(destinations.allocation.url),
    compute: createAgent(destinations.compute.url),
  };
  const attempts = new WeakMap<IncomingMessage, Attempt>();

  const events = eventsFor(attempts);
  const middlewareTo = (upstream: Upstream): RequestHandler => {
    const target = destinations[upstream].url;
    return createProxyMiddleware({
      target,
      agent: agents[upstream],
      changeOrigin: true,
      selfHandleResponse: true,
      proxyTimeout: idleMs,
      ejectPlugins: true,
      plugins: [events],
      // This hook gets the options of one request: it replaces the stream by the body that was read.
      router: (request, _response, options) => {
        const body = attempts.get(request)?.body;
        if (body !== undefined && body.length > 0) options.buffer = Readable.from([body]);
        return target;
      },
    });
  };
  const middlewares = {
    inventory: middlewareTo('inventory'),
    conductor: middlewareTo('conductor'),
    allocation: middlewareTo('allocation'),
    compute: middlewareTo('compute'),
  } satisfies Record<Upstream, RequestHandler>;

  return {
    forward: (forwarding) =>
      new Promise((resolve, reject) => {
        const { request, response, upstream } = forwarding;
        const { isOurs } = destinations[upstream];
        const headers = headersFor(forwarding, isOurs);
        attempts.set(
          request,
          startAttempt(forwarding, isOurs, (outcome) => {
            if (outcome instanceof AppError) reject(outcome);
            else resolve(outcome);
          }),
        );
        response.setMaxListeners(MAX_RESPONSE_LISTENERS);
        // Before the proxy sees the request: with `Expect` its own hook would not run.
        request.headers = headers;
        void middlewares[upstream](request, response);
      }),
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/** Passes the proxy's events to the attempt of their request. */
const eventsFor =
  (attempts: WeakMap<IncomingMessage, Attempt>): Plugin =>
  (proxy) => {
    const onFailure = (error: Error, request: IncomingMessage | undefined): void => {
      const attempt = request === undefined ? undefined : attempts.get(request);
      attempt?.complete(broken(attempt.upstream, error));
    };
    proxy.on('proxyReq', (clientRequest, request) => {
      const attempt = attempts.get(request);
      if (attempt === undefined || attempt.isCompleted) clientRequest.destroy();
      else attempt.clientRequest = clientRequest;
    });
    proxy.on('proxyRes', (answer, request) => {
      const attempt = attempts.get(request);
      if (attempt !== undefined) onAnswer(attempt, answer);
    });
    proxy.on('error', onFailure);
    proxy.on('econnreset', onFailure);
  };

/** Starts an attempt, which completes once: when the service answers, fails or times out. */
function startAttempt(
  forwarding: Forwarding,
  isOurs: boolean,
  done: (outcome: Forwarded | AppError) => void,
): Attempt {
  const attempt: Attempt = {
    ...forwarding,
    isOurs,
    clientRequest: undefined,
    timer: undefined,
    isCompleted: false,
    spent: undefined,
    complete: (outcome) => {
      if (attempt.isCompleted) return;
      attempt.isCompleted = true;
      clearTimeout(attempt.timer);
      done(outcome instanceof AppError ? outcome : { outcome, spent: attempt.spent });
    },
  };
  attempt.timer = setTimeout(() => {
    attempt.complete(timedOut(forwarding.upstream));
    attempt.clientRequest?.destroy();
  }, forwarding.deadlineMs);
  return attempt;
}

const broken = (upstream: Upstream, cause: unknown): AppError =>
  new AppError('bad_gateway', 502, `The ${upstream} service could not be reached.`, { cause });

function onAnswer(attempt: Attempt, answer: IncomingMessage): void {
  clearTimeout(attempt.timer);
  if (attempt.isOurs) attempt.spent = spentIn(answer.headers[SPENT_HEADER]);
  if (attempt.isCompleted) {
    answer.resume(); // destroying it would take the client's connection with it
  } else if (saysStale(attempt, answer)) {
    // 'close', which comes also when the service dies in the middle of this answer
    answer
      .once('close', () => {
        attempt.complete('stale');
      })
      .resume();
  } else if (isDeleted(attempt, answer)) {
    answer.resume();
    attempt.complete('deleted');
  } else if (attempt.isOurs && answer.statusCode === 401) {
    // The service refused the signed context: a deployment error, not the caller's.
    answer.resume();
    attempt.complete(
      new UnavailableError(`The ${attempt.upstream} service could not answer.`, {
        cause: 'context refused',
      }),
    );
  } else relay(attempt, answer);
}

const saysStale = ({ isOurs }: Attempt, { statusCode, headers }: IncomingMessage): boolean =>
  isOurs && statusCode === 412 && headers[STALE_HEADER] !== undefined;

const isDeleted = (
  { isNamed, isOurs }: Attempt,
  { statusCode, headers }: IncomingMessage,
): boolean => isNamed && statusCode === 404 && !(isOurs && headers[MISSING_HEADER] === 'part');

function relay(attempt: Attempt, answer: IncomingMessage): void {
  const { response } = attempt;
  response.writeHead(answer.statusCode ?? 502, {
    ...retryHeadersFor(response.req.headers, relayedHeaders(answer.headers, attempt.answerHeaders)),
    ...attempt.answerHeaders,
  });
  answer.pipe(response);
  attempt.complete('answered');
}

const timedOut = (upstream: Upstream): AppError =>
  new AppError('upstream_timeout', 504, `The ${upstream} service did not answer in time.`);
