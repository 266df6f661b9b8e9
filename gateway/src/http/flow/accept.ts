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
import { putOnRecord } from '../unknown-sender.js';
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
 * Everything before the body: strict parsing, route, caller, microversion; in the order in which Ironic and Nova answer.
 * @returns undefined when that was all, and it is answered: OPTIONS
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
  // No login is tried where there is nothing for users.
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
  const { route, params } = checkKnown(match, strict.method, version);
  if (route.since?.afterPolicy !== true) checkSince(route, version);
  return { strict, route, params, query, subject, version };
}

/** Answered before the caller is known, for it would tell what proxies on the way added to the request. */
function checkNoTrace(method: string, match: RouteMatch): void {
  if (method !== 'TRACE') return;
  const allow = match.kind === 'wrong_method' ? match.allow : [];
  throw closing(
    new AppError('refused', 405, 'TRACE is not taken.', {
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
    // Whatever else is in its headers: it is no user.
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
  const { subject } = await known(deps, exchange, {
    credentials,
    serviceToken: typeof serviceToken === 'string' ? serviceToken : undefined,
    address: network,
    service: exchange.dialect.api,
    method,
    path: target.path,
  });
  exchange.subject = subject;
  exchange.caller.isOf(tenantOf({ subject, network }));
  const held = deps.rateLimit(subject);
  if (held !== undefined) await held;
  return subject;
}

function checkKnown(
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

/** What does something, or is long. */
const isLimitedByAddress = ({ signedAs, upstream }: Route): boolean =>
  signedAs !== undefined || upstream === 'gateway';

/** A 401 is put on record where it is answered; here, who is not even listened to, or cannot be known just now. */
async function known(
  deps: GatewayDependencies,
  exchange: Exchange,
  asked: Parameters<Authenticator['authenticate']>[0],
): Promise<Identity> {
  try {
    return await deps.authenticator.authenticate(asked);
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.status !== 401) putOnRecord(deps, exchange, error);
    throw error;
  }
}
