import { type OutgoingHttpHeaders } from 'node:http';
import { UnavailableError, isAllTenants, type CallContext } from '@tenure/contracts';
import { callMs, traced, type Deadline } from '@tenure/process';
import { type Took } from '../../application/admission/admission.js';
import {
  type Access,
  type NamedResource,
  namedIn,
  notFound,
} from '../../application/decisions/access.js';
import { type Allowed, decisionClaims } from '../../application/decisions/context-claims.js';
import { type Upstream } from '../../routes/route.js';
import { answerHeaders, idHeaders } from '../answer-headers.js';
import { type Exchange } from '../exchange.js';
import { checkSince } from '../route-version.js';
import { type Accepted } from './accept.js';
import { type AgentRequest } from './admit-agent.js';
import { type GatewayDependencies } from './dependencies.js';

const MAX_STALE_RETRIES = 3;
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

interface Outgoing {
  readonly upstream: Upstream;
  readonly access: Access | null;
  readonly context: CallContext;
  /** Further claims about the caller. */
  readonly claims: AgentRequest['claims'];
  readonly body: Buffer;
  readonly deadline: Deadline;
  /** Called with duration and cost at the service, also after a failed attempt. */
  readonly onTook: (took: Took) => void;
}

/** Asks the policy, signs and forwards; repeats this when the service reports a newer tenancy than that of the decision. */
export async function deliver(
  deps: GatewayDependencies,
  exchange: Exchange,
  accepted: Accepted,
  outgoing: Outgoing,
): Promise<void> {
  const { upstream, access, context, claims, body, deadline, onTook } = outgoing;
  const named = access === null ? null : namedIn(access);
  const { request, response } = exchange;
  for (let attempt = 0; attempt <= MAX_STALE_RETRIES; attempt += 1) {
    const verdict = await authorize(deps, exchange, access, attempt > 0);
    checkSince(accepted.route, accepted.version);
    // The client closed the connection, so the request is not executed.
    if (response.destroyed) return;
    const deadlineMs = callMs(deadline, deps.upstreamDeadlineMs);
    if (deadlineMs === 0) break;
    const statement = {
      ...context,
      ...claims,
      ...decisionClaims(access, verdict, READS.has(accepted.strict.method)),
      aud: upstream,
      method: accepted.strict.method,
      target: request.url ?? '',
    };
    const start = performance.now();
    const forwarding = {
      upstream,
      request,
      response,
      deadlineMs,
      body,
      isNamed: named !== null,
      context: () => deps.sign(statement, body),
      requestId: exchange.requestId,
      answerHeaders: relayHeaders(exchange, accepted),
    };
    let spent: Took['spent'];
    let outcome: string;
    try {
      ({ outcome, spent } = await traced('forward', () => deps.forwarder.forward(forwarding), {
        kind: 'client',
        attributes: { 'peer.service': `tenure-${upstream}`, attempt },
      }));
    } finally {
      onTook({ tookMs: performance.now() - start, spent });
    }
    deps.observer.took('forward', (performance.now() - start) / 1000);
    if (outcome === 'answered') return;
    checkNotDeleted(outcome, named);
  }
  throw new UnavailableError('The owner or lessee of the resource keeps changing; try again.');
}

async function authorize(
  deps: GatewayDependencies,
  exchange: Exchange,
  access: Access | null,
  fresh: boolean,
): Promise<Allowed | null> {
  if (access === null) return null;
  const start = performance.now();
  const verdict = await traced('authorization', () => deps.authorizer.authorize(access, fresh));
  deps.observer.took('decision', (performance.now() - start) / 1000);
  exchange.decisionId = verdict.decisionId;
  if (verdict.outcome === 'deny') {
    deps.observer.denied(access.action);
    throw verdict.error;
  }
  return verdict;
}

/** Headers added to a service's answer. For a list of a real Nova this includes which rows it has, because Nova does not say it. */
function relayHeaders(exchange: Exchange, { route, query }: Accepted): OutgoingHttpHeaders {
  if (exchange.dialect.isOurs) return answerHeaders(exchange);
  const rows = isAllTenants(query.get('all_tenants')) ? 'all' : 'project_id';
  return {
    ...idHeaders(exchange),
    ...(route.isList === true && { 'X-Tenure-Policy-Filter': rows }),
  };
}

function checkNotDeleted(outcome: string, named: NamedResource | null): void {
  if (outcome === 'deleted' && named !== null) throw notFound(named);
}
