import { AppError, MIN_MICROVERSION, NotFoundError, type Subject } from '@tenure/contracts';
import { type Negotiated } from '../dialects/dialect.js';
import { type Exchange, sendAllow } from '../http/exchange.js';
import { createMatcher, type RouteMatch } from '../routes/match-route.js';
import { ROUTES } from '../routes/route-table.js';
import { type Route } from '../routes/route.js';
import { checkAnnouncedBody } from '../strict-http/body.js';
import { checkRequest, type StrictRequest } from '../strict-http/check-request.js';
import { parseQuery, type Query } from '../strict-http/query.js';
import { closing } from '../strict-http/refusal.js';
import { credentialsOf, unauthorized } from '../tokens/bearer.js';
import { type GatewayDependencies } from './dependencies.js';

/** A request that matched a route, parsed and authenticated. */
export interface Accepted {
  readonly strict: StrictRequest;
  readonly route: Route;
  readonly params: ReadonlyMap<string, string>;
  readonly query: Query;
  readonly subject: Subject | null;
  readonly version: Negotiated;
}

/** Answered before the caller is known, for it would tell what proxies on the way added to the request. */
const checkNoTrace = (method: string, match: RouteMatch): void => {
  if (method !== 'TRACE') return;
  const allow = match.kind === 'wrong_method' ? match.allow : [];
  throw closing(
    new AppError('refused', 405, 'TRACE is not taken.', {
      headers: { Allow: allow.join(', ') },
    }),
  );
};

const checkKnown = (match: RouteMatch, method: string): Extract<RouteMatch, { kind: 'route' }> => {
  if (match.kind === 'route') return match;
  if (match.kind === 'unknown') throw new NotFoundError('The resource could not be found.');
  throw new AppError(
    'method_not_allowed',
    405,
    `The method ${method} is not allowed for this resource.`,
    {
      headers: { Allow: match.allow.join(', ') },
    },
  );
};

const checkSince = ({ since }: Route, { minor }: Negotiated): void => {
  if (since === undefined || minor >= since.minor) return;
  if (since.orMinimum !== true || minor > MIN_MICROVERSION.minor)
    throw new AppError('version_too_low', since.status, since.message);
};

const matcher = createMatcher(ROUTES);

/** What does something, or is long. */
const isLimitedByAddress = ({ signedAs, upstream }: Route): boolean =>
  signedAs !== undefined || upstream === 'gateway';

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
  const { subject } = await deps.authenticator.authenticate({
    credentials,
    serviceToken: typeof serviceToken === 'string' ? serviceToken : undefined,
    address,
    service: exchange.dialect.api,
    method,
    path: target.path,
  });
  exchange.subject = subject;
  deps.rateLimit(subject);
  return subject;
};

/**
 * Everything before the body: strict parsing, route, caller, microversion; in the order in which Ironic and Nova answer.
 * @returns undefined when that was all, and it is answered: OPTIONS
 */
export const accept = async (
  deps: GatewayDependencies,
  exchange: Exchange,
): Promise<Accepted | undefined> => {
  const strict = checkRequest(exchange.request);
  exchange.hasBody = strict.headers.hasBody;
  exchange.path = strict.target.path;
  exchange.dialect = deps.dialectOf(strict.target.segments[0]);
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
  const version = exchange.dialect.negotiate(exchange.request.headers);
  exchange.apiVersion = version.text;
  if (strict.method === 'OPTIONS' && match.kind === 'wrong_method') {
    sendAllow(exchange, match.allow);
    return undefined;
  }
  const { route, params } = checkKnown(match, strict.method);
  checkSince(route, version);
  return { strict, route, params, query, subject, version };
};
