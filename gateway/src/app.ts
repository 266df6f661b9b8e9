import { type RequestListener } from 'node:http';
import { type AppError, toAppError } from '@tenure/contracts';
import { deadlineIn, inSpan, traced } from '@tenure/process';
import { type Took } from './application/admission/admission.js';
import { firstSegment } from './dialects/dialects.js';
import { type Exchange, openExchange, sendError } from './http/exchange.js';
import { type Accepted, accept } from './http/flow/accept.js';
import { accessOf } from './http/flow/access-of.js';
import {
  admitAgent,
  type AgentRequest,
  bodyRefusal,
  checkTokenInBody,
} from './http/flow/admit-agent.js';
import { applicantOf, tenantOf } from './http/flow/applicant.js';
import { bodyLimitOf } from './http/flow/body-limit.js';
import { deliver } from './http/flow/deliver.js';
import { type GatewayDependencies } from './http/flow/dependencies.js';
import { checkIdent } from './http/named-resource.js';
import { sendDescription } from './http/openapi/send-description.js';
import { endRequestSpan, startRequestSpan } from './http/request-span.js';
import { jsonIn, readBytes } from './http/strict-http/body.js';
import { challenged } from './http/unknown-sender.js';
import { type Upstream } from './routes/route.js';

/** Minimum of milliseconds for reading a body after a slow authentication, because the body may have arrived meanwhile. */
const MIN_BODY_MS = 200;

/** A request whose body was read. */
interface Arrived {
  readonly accepted: Accepted;
  readonly agent: AgentRequest | undefined;
  readonly body: Buffer;
  readonly upstream: Upstream;
  readonly network: string;
}

/** The logged status of a request whose client closed the connection before the answer. */
const CLIENT_CLOSED_REQUEST = 499;

/** Statuses that are no failure of an agent: the node is busy, or the agent is rate-limited. */
const NO_FAILURES: ReadonlySet<number> = new Set([409, 429]);

/** Too large, or too many. */
const TOO_MUCH: ReadonlySet<number> = new Set([413, 429]);

/**
 * The gateway as a listener for node:http (Express would cost more than the decision). Each request is parsed strictly,
 * matched, authenticated, decided on once, and forwarded with a signed context; every error has the body of its API.
 */
export const createGateway =
  (deps: GatewayDependencies): RequestListener =>
  (request, response) => {
    const caller = deps.callers.of(request, deps.clientAddressOf(request).network);
    const exchange = openExchange(request, response, {
      caller,
      dialect: deps.dialectOf(firstSegment(request.url)),
      span: startRequestSpan(request, deps.trustsTraces),
      ended: deps.observer.began(),
    });
    response.once('close', () => {
      onEnd(deps, exchange);
    });
    deps.startQueue.enter(caller.tenant, () => {
      inSpan(exchange.span, () => serve(deps, exchange)).catch((thrown: unknown) => {
        failed(deps, exchange, thrown);
      });
    });
  };

function onEnd(deps: GatewayDependencies, exchange: Exchange): void {
  const { request, response, subject, span } = exchange;
  const method = request.method ?? '';
  const route = templateOf(exchange);
  const status = response.writableFinished ? response.statusCode : CLIENT_CLOSED_REQUEST;
  exchange.ended({ method, route, status });
  exchange.agent?.ended(agentOutcome(exchange, status));
  deps.observer.ended({
    requestId: exchange.requestId,
    method,
    path: exchange.path,
    route,
    status,
    durationMs: performance.now() - exchange.startedAt,
    userId: subject?.user_id,
    projectId: subject?.project_id,
    action: actionIn(exchange),
    decisionId: exchange.decisionId,
    traceId: span?.place.traceId,
  });
  if (span !== undefined) endRequestSpan(exchange, span, { method, route, status });
}

async function serve(deps: GatewayDependencies, exchange: Exchange): Promise<void> {
  const accepted = await accept(deps, exchange);
  if (accepted === undefined) return;
  const { route, strict } = accepted;
  const { upstream } = route;
  if (upstream === 'gateway') {
    sendDescription(exchange);
    return;
  }
  const agent = await admitAgent(deps, exchange, accepted);
  const { network } = deps.clientAddressOf(exchange.request);
  const tenant = tenantOf({ subject: accepted.subject, network });
  const large = strict.headers.hasBody
    ? deps.admissions.ofBody(tenant, strict.headers.contentLength)
    : undefined;
  try {
    const body = await bodyOf(deps, exchange, accepted, agent);
    await decideAndForward(deps, exchange, { accepted, agent, body, upstream, network });
  } finally {
    large?.ended();
  }
}

function failed(deps: GatewayDependencies, exchange: Exchange, thrown: unknown): void {
  const error = toAppError(thrown);
  // The client closed the connection: the failure that follows is not the gateway's.
  if (error.status >= 500 && !exchange.response.destroyed)
    deps.observer.failed(exchange.requestId, causeOf(error));
  const delayMs = TOO_MUCH.has(error.status) ? deps.refusalPace.delayOf(exchange.caller.tenant) : 0;
  if (delayMs === 0)
    sendError(exchange, error.status === 401 ? challenged(deps, exchange, error) : error);
  else setTimeout(sendError, delayMs, exchange, error);
}

/** Metrics and traces get the template of the route, because the number of paths is unbounded. */
const templateOf = ({ route }: Exchange): string => route?.path ?? 'none';

/** The outcome of an agent's request for its rate limit: proved means that its token was valid. */
function agentOutcome({ route }: Exchange, status: number): 'failed' | 'other' | 'proved' {
  if (status >= 400 && status < 500) return NO_FAILURES.has(status) ? 'other' : 'failed';
  return status < 300 && route?.agent !== 'without_token' ? 'proved' : 'other';
}

/** The policy action of a request. If it was refused before the decision: the action of its route, where that is fixed. */
const actionIn = ({ action, route }: Exchange): string | undefined =>
  action ?? (typeof route?.action === 'string' ? route.action : route?.signedAs);

const bodyOf = (
  deps: GatewayDependencies,
  { request, startedAt }: Exchange,
  { route, strict }: Accepted,
  agent: AgentRequest | undefined,
): Promise<Buffer> =>
  readBytes(request, strict.headers, {
    limit: agent?.limit ?? bodyLimitOf(deps, route.body),
    deadlineMs: Math.max(MIN_BODY_MS, deps.bodyDeadlineMs - performance.now() + startedAt),
  }).catch((error: unknown) => {
    throw bodyRefusal(agent, error);
  });

/** Waits for admission, then asks the policy and forwards the request. */
async function decideAndForward(
  deps: GatewayDependencies,
  exchange: Exchange,
  { accepted, agent, body, upstream, network }: Arrived,
): Promise<void> {
  const { route, params, version } = accepted;
  // Authentication counts against the deadline; the time in which the client sent its body does not.
  const spent = exchange.authenticatedAt - exchange.startedAt;
  const deadline = deadlineIn(deps.requestDeadlineMs - spent);
  const admitted = await traced('admission', async () =>
    deps.admissions.to[upstream].admit(
      applicantOf({ ...accepted, network, bodyBytes: body.length }),
    ),
  );
  const attempts: Took[] = [];
  try {
    const json = jsonIn(body);
    const meaning = route.body.meaning(json);
    checkTokenInBody(agent, json);
    checkIdent(route, params, version);
    const { context, access } = accessOf(deps, exchange, accepted, { json, meaning, deadline });
    const claims = agent?.claims ?? {};
    const onTook = (took: Took): void => void attempts.push(took);
    const outgoing = { upstream, access, context, claims, body, deadline, onTook };
    await deliver(deps, exchange, accepted, outgoing);
  } finally {
    admitted.ended(attempts);
  }
}

const causeOf = (error: AppError): Error =>
  error.cause instanceof Error ? new Error(error.message, { cause: error.cause }) : error;
