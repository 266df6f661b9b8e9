import { type RequestListener } from 'node:http';
import {
  type AppError,
  formatMicroversion,
  type Microversion,
  NotFoundError,
  type Subject,
  toAppError,
  UnavailableError,
  AppError as ApplicationError,
} from '@tenure/contracts';
import { type ContextStatement } from '@tenure/signed-context';
import { type Authenticator } from './authentication/authenticator.js';
import { type Access, type NamedResource, namedIn, notFound } from './decisions/access.js';
import { type Authorizer } from './decisions/authorizer.js';
import { type Deadline, startDeadline } from './decisions/deadline.js';
import { type Behalf } from './decisions/tenancy-source.js';
import { type Allowed, vouchedFor } from './decisions/vouched-for.js';
import { type Forwarder } from './forward/forwarder.js';
import { answerHeaders } from './http/answer-headers.js';
import { canonical } from './http/canonical-target.js';
import { type Exchange, openExchange, sendAllow, sendError } from './http/exchange.js';
import { negotiate } from './http/microversion.js';
import { checkIdent, namedResources } from './http/named-resource.js';
import { type Observer } from './http/observe.js';
import { checkAnySince, checkSince } from './http/route-version.js';
import { challenged, putOnRecord } from './http/unknown-sender.js';
import { sendDescription } from './openapi/send-description.js';
import { createMatcher, type RouteMatch } from './routes/match-route.js';
import { ROUTES } from './routes/route-table.js';
import { type Route, type Upstream } from './routes/route.js';
import { checkAnnouncedBody, readJson, type ReadJson } from './strict-http/body.js';
import { checkRequest, type StrictRequest } from './strict-http/check-request.js';
import { parseQuery, type Query } from './strict-http/query.js';
import { closing } from './strict-http/refusal.js';
import { credentialsOf, unauthorized } from './tokens/bearer.js';
import { type Identity } from './tokens/identity.js';

export interface GatewayDependencies {
  readonly authenticator: Authenticator;
  /** `WWW-Authenticate` of every 401: how to do better. */
  readonly challenge: string;
  readonly authorizer: Authorizer;
  readonly forwarder: Forwarder;
  /** For every other route, by who sends the request. A promise only where that cannot be told at once. */
  readonly rateLimit: (subject: Subject) => void | Promise<void>;
  /** For public routes that do something, by the address that the request comes from. */
  readonly agentRateLimit: (address: string) => void;
  /** Signs what the gateway states to a service about one request and its body. */
  readonly sign: (statement: ContextStatement, body: Uint8Array) => string;
  readonly observer: Observer;
  /** `http://host:port` for links; undefined when it follows from each request's Host. */
  readonly publicUrl: string | undefined;
  /** Milliseconds in which a request's body must arrive. */
  readonly bodyDeadlineMs: number;
  /** Milliseconds from the arrival of a request's body to its answer. */
  readonly requestDeadlineMs: number;
  /** Milliseconds of these that one service may take to begin its answer. */
  readonly upstreamDeadlineMs: number;
  /** True once the gateway is stopping: connections close after their answer. */
  readonly isStopping: () => boolean;
}

/** A request that matched a route, parsed and authenticated. */
interface Accepted {
  readonly strict: StrictRequest;
  readonly route: Route;
  readonly params: ReadonlyMap<string, string>;
  readonly query: Query;
  readonly subject: Subject | null;
  readonly version: Microversion;
}

const MAX_STALE_RETRIES = 3;
/** Milliseconds that are left for a body however long it took to know the caller: it may have arrived. */
const MIN_BODY_MS = 200;
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const PUBLIC_ACTION = 'public';

/** Answered before the caller is known, for it would tell what proxies on the way added to the request. */
const checkNoTrace = (method: string, match: RouteMatch): void => {
  if (method !== 'TRACE') return;
  const allow = match.kind === 'wrong_method' ? match.allow : [];
  throw closing(
    new ApplicationError('refused', 405, 'TRACE is not taken.', {
      headers: { Allow: allow.join(', ') },
    }),
  );
};

const checkKnown = (
  match: RouteMatch,
  method: string,
  version: Microversion,
): Extract<RouteMatch, { kind: 'route' }> => {
  if (match.kind === 'route') return match;
  if (match.kind === 'unknown') throw new NotFoundError('The resource could not be found.');
  checkAnySince(match.routes, version);
  throw new ApplicationError(
    'method_not_allowed',
    405,
    `The method ${method} is not allowed for this resource.`,
    {
      headers: { Allow: match.allow.join(', ') },
    },
  );
};

const matcher = createMatcher(ROUTES);
const isKnown = (segments: readonly string[]): boolean => matcher('', segments).kind !== 'unknown';

/** What does something, or is long. */
const isLimitedByAddress = ({ signedAs, upstream }: Route): boolean =>
  signedAs !== undefined || upstream === 'gateway';

/** A 401 is put on record where it is answered; here, who is not even listened to, or cannot be known just now. */
const known = async (
  deps: GatewayDependencies,
  exchange: Exchange,
  asked: Parameters<Authenticator['authenticate']>[0],
): Promise<Identity> => {
  try {
    return await deps.authenticator.authenticate(asked);
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.status !== 401) putOnRecord(deps.observer, exchange, error);
    throw error;
  }
};

const authenticate = async (
  deps: GatewayDependencies,
  exchange: Exchange,
  { method, target }: StrictRequest,
): Promise<Subject | null> => {
  const { request, route } = exchange;
  const address = request.socket.remoteAddress ?? '';
  const credentials = credentialsOf(request.headers);
  if (route?.action === null) {
    if (isLimitedByAddress(route)) deps.agentRateLimit(address);
    return null;
  }
  if (credentials === undefined) throw unauthorized('no credentials');
  const serviceToken = request.headers['x-service-token'];
  const { subject } = await known(deps, exchange, {
    credentials,
    serviceToken: typeof serviceToken === 'string' ? serviceToken : undefined,
    address,
    method,
    path: target.path,
  });
  exchange.subject = subject;
  const held = deps.rateLimit(subject);
  if (held !== undefined) await held;
  return subject;
};

/**
 * Everything before the body: strict parsing, route, caller, microversion; in the order in which Ironic answers.
 * @returns undefined when that was all, and it is answered: OPTIONS
 */
const accept = async (
  deps: GatewayDependencies,
  exchange: Exchange,
): Promise<Accepted | undefined> => {
  const strict = canonical(exchange.request, checkRequest(exchange.request), isKnown);
  exchange.hasBody = strict.headers.hasBody;
  exchange.path = strict.target.path;
  const match = matcher(strict.method, strict.target.segments);
  checkNoTrace(strict.method, match);
  let query: Query = new Map();
  if (match.kind === 'route') {
    exchange.route = match.route;
    query = parseQuery(strict.target.query, match.route.query);
    checkAnnouncedBody(strict.headers, match.route.body.limit);
  }
  const subject = await authenticate(deps, exchange, strict);
  exchange.authenticatedAt = performance.now();
  const version = negotiate(exchange.request.headers);
  exchange.apiVersion = formatMicroversion(version);
  if (strict.method === 'OPTIONS' && match.kind === 'wrong_method') {
    sendAllow(exchange, match.allow);
    return undefined;
  }
  const { route, params } = checkKnown(match, strict.method, version);
  if (route.since?.afterPolicy !== true) checkSince(route, version);
  return { strict, route, params, query, subject, version };
};

const behalfOf = (deps: GatewayDependencies, exchange: Exchange, accepted: Accepted): Behalf => ({
  request_id: exchange.requestId,
  subject: accepted.subject,
  action: accepted.route.action ?? accepted.route.signedAs ?? PUBLIC_ACTION,
  api_version: formatMicroversion(accepted.version),
  public_base: deps.publicUrl ?? `http://${accepted.strict.headers.host}`,
});

const authorize = async (
  deps: GatewayDependencies,
  exchange: Exchange,
  access: Access | null,
  fresh: boolean,
): Promise<Allowed | null> => {
  if (access === null) return null;
  const start = performance.now();
  const verdict = await deps.authorizer.authorize(access, fresh);
  deps.observer.took('decision', (performance.now() - start) / 1000);
  exchange.decisionId = verdict.decisionId;
  if (verdict.outcome === 'deny') throw verdict.error;
  return verdict;
};

const checkNotGone = (outcome: string, named: NamedResource | null): void => {
  if (outcome === 'gone' && named !== null) throw notFound(named);
};

interface Outgoing {
  readonly upstream: Upstream;
  readonly access: Access | null;
  readonly behalf: Behalf;
  readonly body: ReadJson;
  readonly deadline: Deadline;
}

/** Asks, signs and forwards; again when the service knows of a newer tenancy than the decision was made on. */
const deliver = async (
  deps: GatewayDependencies,
  exchange: Exchange,
  accepted: Accepted,
  outgoing: Outgoing,
): Promise<void> => {
  const { upstream, access, behalf, body, deadline } = outgoing;
  const named = access === null ? null : namedIn(access);
  const { request, response } = exchange;
  for (let attempt = 0; attempt <= MAX_STALE_RETRIES; attempt += 1) {
    const verdict = await authorize(deps, exchange, access, attempt > 0);
    checkSince(accepted.route, accepted.version);
    // Who is gone gets nothing done any more.
    if (response.destroyed) return;
    const deadlineMs = deadline.within(deps.upstreamDeadlineMs);
    if (deadlineMs === 0) break;
    const statement = {
      ...behalf,
      ...vouchedFor(access, verdict, READS.has(accepted.strict.method)),
      aud: upstream,
      method: accepted.strict.method,
      target: request.url ?? '',
    };
    const start = performance.now();
    const outcome = await deps.forwarder.forward({
      upstream,
      request,
      response,
      deadlineMs,
      body: body.bytes,
      isNamed: named !== null,
      context: deps.sign(statement, body.bytes),
      answerHeaders: {
        ...answerHeaders(exchange),
        ...(deps.isStopping() && { Connection: 'close' }),
      },
    });
    deps.observer.took('forward', (performance.now() - start) / 1000);
    if (outcome === 'answered') return;
    checkNotGone(outcome, named);
  }
  throw new UnavailableError('The owner or lessee of the resource keeps changing; try again.');
};

const serve = async (deps: GatewayDependencies, exchange: Exchange): Promise<void> => {
  const accepted = await accept(deps, exchange);
  if (accepted === undefined) return;
  const { route, params, query, strict, subject, version } = accepted;
  const { upstream } = route;
  if (upstream === 'gateway') {
    sendDescription(exchange);
    return;
  }
  const body = await readJson(exchange.request, strict.headers, {
    limit: route.body.limit,
    deadlineMs: Math.max(MIN_BODY_MS, deps.bodyDeadlineMs - performance.now() + exchange.startedAt),
  });
  const meaning = route.body.meaning(body.json);
  checkIdent(route, params, version);
  // Of the time for everything, what it took to know the caller is gone; what the client took to send the body is not.
  const spent = exchange.authenticatedAt - exchange.startedAt;
  const deadline = startDeadline(deps.requestDeadlineMs - spent);
  const behalf = behalfOf(deps, exchange, accepted);
  const access: Access | null =
    route.action === null || subject === null
      ? null
      : {
          action: route.action,
          subject,
          ...namedResources(route, { params, query, json: body.json }),
          meaning,
          behalf,
          deadline,
        };
  await deliver(deps, exchange, accepted, { upstream, access, behalf, body, deadline });
};

const causeOf = (error: AppError): Error =>
  error.cause instanceof Error ? new Error(error.message, { cause: error.cause }) : error;

const onEnd = (deps: GatewayDependencies, exchange: Exchange): void => {
  const { request, response, subject } = exchange;
  deps.observer.ended({
    requestId: exchange.requestId,
    method: request.method ?? '',
    path: exchange.path,
    route: exchange.route?.path ?? 'none',
    status: response.writableFinished ? response.statusCode : 499,
    durationMs: performance.now() - exchange.startedAt,
    userId: subject?.user_id,
    projectId: subject?.project_id,
    action: exchange.route?.action ?? exchange.route?.signedAs,
    decisionId: exchange.decisionId,
  });
};

/**
 * The gateway as a listener for node:http (Express would cost more than the decision). Each request is parsed strictly,
 * matched, authenticated, decided on once, and forwarded with a signed context; every error has Ironic's body.
 */
export const createGateway =
  (deps: GatewayDependencies): RequestListener =>
  (request, response) => {
    const exchange = openExchange(request, response);
    response.once('close', () => {
      onEnd(deps, exchange);
    });
    serve(deps, exchange).catch((thrown: unknown) => {
      const error = toAppError(thrown);
      // A client that went away took its request with it: that is no failure of ours.
      if (error.status >= 500 && !response.destroyed)
        deps.observer.failed(exchange.requestId, causeOf(error));
      sendError(exchange, error.status === 401 ? challenged(deps, exchange, error) : error);
    });
  };
