import { AppError, NotFoundError, type Subject, toAppError } from '@tenure/contracts';
import { traced } from '@tenure/process';
import { type Identity, unauthorized } from '@tenure/tokens';
import { type Authenticator } from '../../application/authentication/authenticator.js';
import { type Negotiated } from '../../dialects/dialect.js';
import { type RouteMatch } from '../../routes/match-route.js';
import { type Query } from '../../routes/query.js';
import { type Route } from '../../routes/route.js';
import { MATCHERS } from '../../routes/surface-routes.js';
import { credentialsOf } from '../bearer.js';
import { canonical } from '../canonical-target.js';
import { type Exchange, sendAllow } from '../exchange.js';
import { checkAnySince, checkSince } from '../route-version.js';
import { checkAnnouncedBody } from '../strict-http/body.js';
import { checkRequest, type StrictRequest } from '../strict-http/check-request.js';
import { parseQuery } from '../strict-http/query.js';
import { closing } from '../strict-http/refusal.js';
import { recordUnknownSender } from '../unknown-sender.js';
import { agentCostOf } from './agent-cost.js';
import { tenantOf } from './applicant.js';
import { bodyLimitOf } from './body-limit.js';
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

/**
 * Does everything before the body: strict parsing, route, authentication, microversion; in the same order as Ironic and Nova.
 * @returns undefined when the request is answered already: OPTIONS
 */
export async function accept(
  deps: GatewayDependencies,
  exchange: Exchange,
): Promise<Accepted | undefined> {
  const checked = checkRequest(exchange.request);
  const { strict, match } = canonical(exchange.request, checked, (segments) =>
    MATCHERS[deps.surface](checked.method, segments),
  );
  exchange.hasBody = strict.headers.hasBody;
  exchange.path = strict.target.path;
  exchange.dialect = deps.dialectOf(strict.target.segments[0]);
  checkNoTrace(strict.method, match);
  // The listener for agents has no routes for users, so it does not authenticate them.
  if (deps.surface === 'agents' && match.kind !== 'route')
    throw new NotFoundError('The resource could not be found.');
  let query: Query = new Map();
  if (match.kind === 'route') {
    exchange.route = match.route;
    query = parseQuery(strict.target.query, match.route.query);
    checkAnnouncedBody(strict.headers, bodyLimitOf(deps, match.route.body));
  }
  const subject = await traced('authentication', () => authenticate(deps, exchange, strict, query));
  exchange.authenticatedAt = performance.now();
  const version = exchange.dialect.negotiate(exchange.request.headers);
  exchange.apiVersion = version.text;
  if (strict.method === 'OPTIONS' && match.kind === 'wrong_method') {
    sendAllow(exchange, match.allow);
    return undefined;
  }
  const { route, params } = checkMatch(match, strict.method, version);
  if (route.since?.afterPolicy !== true) checkSince(route, version);
  return { strict, route, params, query, subject, version };
}

/** Refuses TRACE before authentication: its answer would reveal the headers that proxies added to the request. */
function checkNoTrace(method: string, match: RouteMatch): void {
  if (method !== 'TRACE') return;
  const allow = match.kind === 'wrong_method' ? match.allow : [];
  throw closing(
    new AppError('refused', 405, 'TRACE is not supported.', {
      headers: { Allow: allow.join(', ') },
    }),
  );
}

async function authenticate(
  deps: GatewayDependencies,
  exchange: Exchange,
  { method, target }: StrictRequest,
  query: Query,
): Promise<Subject | null> {
  const { request, route } = exchange;
  const client = deps.clientAddressOf(request);
  const { network } = client;
  if (route?.agent !== undefined) {
    // Credentials in the headers are ignored: an agent is no user.
    exchange.agent = deps.agentLimits.admit(client, agentCostOf(query));
    return null;
  }
  const credentials = credentialsOf(request.headers);
  if (route?.action === null) {
    if (isLimitedByAddress(route)) deps.publicRateLimit(network);
    return null;
  }
  if (credentials === undefined) throw unauthorized('no credentials');
  const serviceToken = request.headers['x-service-token'];
  const { subject } = await identify(deps, exchange, {
    credentials,
    serviceToken: typeof serviceToken === 'string' ? serviceToken : undefined,
    address: network,
    service: exchange.dialect.api,
    method,
    path: target.path,
  });
  exchange.subject = subject;
  exchange.caller.isOf(tenantOf({ subject, network }));
  const throttled = deps.rateLimit(subject);
  if (throttled !== undefined) await throttled;
  return subject;
}

function checkMatch(
  match: RouteMatch,
  method: string,
  version: Negotiated,
): Extract<RouteMatch, { kind: 'route' }> {
  if (match.kind === 'route') return match;
  if (match.kind === 'unknown') throw new NotFoundError('The resource could not be found.');
  checkAnySince(match.routes, version);
  throw new AppError(
    'method_not_allowed',
    405,
    `The method ${method} is not allowed for this resource.`,
    {
      headers: { Allow: match.allow.join(', ') },
    },
  );
}

/** Whether a public route is rate-limited by address: because it changes something, or because its answer is long. */
const isLimitedByAddress = ({ signedAs, upstream }: Route): boolean =>
  signedAs !== undefined || upstream === 'gateway';

/** Authenticates the caller. Records other failures than 401 (rate limits, outages); a 401 is recorded where it is answered. */
async function identify(
  deps: GatewayDependencies,
  exchange: Exchange,
  request: Parameters<Authenticator['authenticate']>[0],
): Promise<Identity> {
  try {
    return await deps.authenticator.authenticate(request);
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.status !== 401) recordUnknownSender(deps, exchange, error);
    throw error;
  }
}
