import { AppError, NotFoundError } from '@tenure/contracts';
import { type ContextStatement } from '@tenure/signed-context';
import { agentCredentialsOf } from '../agent-credentials.js';
import { type Exchange } from '../exchange.js';
import { closing } from '../strict-http/refusal.js';
import { type Accepted } from './accept.js';
import { type GatewayDependencies } from './dependencies.js';

/** What is known of an agent's request before its body is read. */
export interface AgentRequest {
  /** Bytes of body that are read of this caller. */
  readonly limit: number;
  /** What the conductor is to know of the caller, under the gateway's signature. */
  readonly claims: Pick<ContextStatement, 'agent_credentials' | 'client_address'>;
  /** Whether the body has to bring a token, because nothing else did. */
  readonly needsToken: boolean;
  /** Whether less is read than the route takes, so that a larger body is one without a token. */
  readonly isCut: boolean;
}

/** Bytes of findings that are read of a caller whose token is in the body, and not known yet. */
const UNPROVEN_BYTES = 64 * 1024;

/**
 * Decides how much of an agent's request is read. One that shows its token in the header is asked about first.
 * @returns undefined for every route that is not the agents'
 * @throws AppError 404 for an unknown token and for a large body without one, 503 when nobody could be asked
 */
export async function admitAgent(
  deps: GatewayDependencies,
  exchange: Exchange,
  accepted: Accepted,
): Promise<AgentRequest | undefined> {
  const { route } = accepted;
  if (route.agent === undefined) return undefined;
  if (route.agent === 'token_in_header_or_body') return withHeaderToken(deps, exchange, accepted);
  return {
    limit: route.body.limit,
    claims: { client_address: deps.clientAddressOf(exchange.request).address },
    needsToken: route.agent === 'token_in_body',
    isCut: false,
  };
}

/** The error of a body that was too large to be read: of a caller without a token, the one that all of them get. */
export const bodyRefusal = (agent: AgentRequest | undefined, error: unknown): unknown =>
  agent?.isCut === true && error instanceof AppError && error.status === 413
    ? closing(nothing())
    : error;

/**
 * Refuses a body without a token before anybody looks for the node.
 * @throws NotFoundError
 */
export function checkTokenInBody(agent: AgentRequest | undefined, json: unknown): void {
  if (agent?.needsToken !== true) return;
  const token =
    typeof json === 'object' && json !== null && 'agent_token' in json
      ? json.agent_token
      : undefined;
  if (typeof token !== 'string' || token === '') throw nothing();
}

async function withHeaderToken(
  deps: GatewayDependencies,
  { request, requestId }: Exchange,
  { route, strict }: Accepted,
): Promise<AgentRequest> {
  const { address } = deps.clientAddressOf(request);
  const credentials = agentCredentialsOf(request.headers);
  if (credentials === undefined) {
    if ((strict.headers.contentLength ?? 0) > UNPROVEN_BYTES) throw closing(nothing());
    return {
      limit: UNPROVEN_BYTES,
      claims: { client_address: address },
      needsToken: true,
      isCut: true,
    };
  }
  try {
    await deps.agentTokens.check({ credentials, address, requestId });
  } catch (error) {
    throw error instanceof AppError && error.status === 404 ? closing(nothing()) : error;
  }
  return {
    limit: route.body.limit,
    claims: { client_address: address, agent_credentials: credentials },
    needsToken: false,
    isCut: false,
  };
}

/** The words of the conductor: nobody may tell who refused. */
const nothing = (): AppError => new NotFoundError('Resource could not be found.');
