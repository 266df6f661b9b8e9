import { type RequestListener } from 'node:http';
import { type AppError, toAppError } from '@tenure/contracts';
import { inSpan, traced } from '@tenure/process';
import { type Took } from './admission/admission.js';
import { applicantOf } from './admission/applicant.js';
import { startDeadline } from './decisions/deadline.js';
import { firstSegment } from './dialects/dialects.js';
import { accept } from './flow/accept.js';
import { accessOf } from './flow/access-of.js';
import { admitAgent, bodyRefusal, checkTokenInBody } from './flow/admit-agent.js';
import { deliver } from './flow/deliver.js';
import { type GatewayDependencies } from './flow/dependencies.js';
import { type Exchange, openExchange, sendError } from './http/exchange.js';
import { checkIdent } from './http/named-resource.js';
import { endRequestSpan, startRequestSpan } from './http/request-span.js';
import { challenged } from './http/unknown-sender.js';
import { sendDescription } from './openapi/send-description.js';
import { jsonIn, readBytes } from './strict-http/body.js';

/** Milliseconds that are left for a body however long it took to know the caller: it may have arrived. */
const MIN_BODY_MS = 200;

const serve = async (deps: GatewayDependencies, exchange: Exchange): Promise<void> => {
  const accepted = await accept(deps, exchange);
  if (accepted === undefined) return;
  const { route, params, strict, version } = accepted;
  const { upstream } = route;
  if (upstream === 'gateway') {
    sendDescription(exchange);
    return;
  }
  const agent = await admitAgent(deps, exchange, accepted);
  const body = await readBytes(exchange.request, strict.headers, {
    limit: agent?.limit ?? route.body.limit,
    deadlineMs: Math.max(MIN_BODY_MS, deps.bodyDeadlineMs - performance.now() + exchange.startedAt),
  }).catch((error: unknown) => {
    throw bodyRefusal(agent, error);
  });
  // Of the time for everything, what it took to know the caller is gone; what the client took to send the body is not.
  const spent = exchange.authenticatedAt - exchange.startedAt;
  const deadline = startDeadline(deps.requestDeadlineMs - spent);
  const { network } = deps.clientAddressOf(exchange.request);
  const admitted = await traced('admission', async () =>
    deps.admissions[upstream].admit(applicantOf({ ...accepted, network, bodyBytes: body.length })),
  );
  let took: Took | undefined;
  try {
    const json = jsonIn(body);
    const meaning = route.body.meaning(json);
    checkTokenInBody(agent, json);
    checkIdent(route, params, version);
    const { behalf, access } = accessOf(deps, exchange, accepted, { json, meaning, deadline });
    await deliver(deps, exchange, accepted, {
      upstream,
      access,
      behalf,
      claims: agent?.claims ?? {},
      body,
      deadline,
      onTook: (one) => {
        took = one;
      },
    });
  } finally {
    admitted.ended(took);
  }
};

const causeOf = (error: AppError): Error =>
  error.cause instanceof Error ? new Error(error.message, { cause: error.cause }) : error;

/** What was asked, or would have been: of a request that was refused before, as much as its route says. */
const actionIn = ({ action, route }: Exchange): string | undefined =>
  action ?? (typeof route?.action === 'string' ? route.action : route?.signedAs);

/** The status of a request whose client did not wait for its answer. */
const CLIENT_GONE = 499;

/** Of a route only its template is told: of paths there is no end. */
const templateOf = ({ route }: Exchange): string => route?.path ?? 'none';

/** Answers that are no failure of an agent: the node is busy, the request came too fast. */
const NO_FAILURES: ReadonlySet<number> = new Set([409, 429]);

/** Whether a request on a route of agents came from one that a machine waits for. */
const agentOutcome = ({ route }: Exchange, status: number): 'failed' | 'other' | 'proved' => {
  if (status >= 400 && status < 500) return NO_FAILURES.has(status) ? 'other' : 'failed';
  return status < 300 && route?.agent !== 'without_token' ? 'proved' : 'other';
};

const onEnd = (deps: GatewayDependencies, exchange: Exchange): void => {
  const { request, response, subject, span } = exchange;
  const method = request.method ?? '';
  const route = templateOf(exchange);
  const status = response.writableFinished ? response.statusCode : CLIENT_GONE;
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
};

/**
 * The gateway as a listener for node:http (Express would cost more than the decision). Each request is parsed strictly,
 * matched, authenticated, decided on once, and forwarded with a signed context; every error has the body of its API.
 */
export const createGateway =
  (deps: GatewayDependencies): RequestListener =>
  (request, response) => {
    const exchange = openExchange(request, response, {
      dialect: deps.dialectOf(firstSegment(request.url)),
      span: startRequestSpan(request, deps.trustsTraces),
      ended: deps.observer.began(),
    });
    response.once('close', () => {
      onEnd(deps, exchange);
    });
    inSpan(exchange.span, () => serve(deps, exchange)).catch((thrown: unknown) => {
      const error = toAppError(thrown);
      // A client that went away took its request with it: that is no failure of ours.
      if (error.status >= 500 && !response.destroyed)
        deps.observer.failed(exchange.requestId, causeOf(error));
      sendError(exchange, error.status === 401 ? challenged(deps, exchange, error) : error);
    });
  };
