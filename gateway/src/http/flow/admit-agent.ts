import { AppError, NotFoundError } from '@tenure/contracts';
import { type ContextStatement } from '@tenure/signed-context';
import { agentCredentialsOf } from '../agent-credentials.js';
import { type Exchange } from '../exchange.js';
import { closing } from '../strict-http/refusal.js';
import { type Accepted } from './accept.js';
import { type GatewayDependencies } from './dependencies.js';

/** How the body of an agent's request is read, and what the signed context says about the agent. */
export interface AgentRequest {
  /** Maximum body of this caller, in bytes. */
  readonly limit: number;
  /** The claims about the caller in the signed context for the conductor. */
  readonly claims: Pick<ContextStatement, 'agent_credentials' | 'client_address'>;
  /** Whether the body must contain a token, because the headers have none. */
  readonly needsToken: boolean;
  /** Whether the limit is lower than that of the route; then a larger body is refused like a missing token. */
  readonly isCut: boolean;
}

/** Maximum body of a caller whose token is in the body and therefore not verified yet, in bytes. */
const UNVERIFIED_BYTES = 64 * 1024;

/**
 * Decides how much of an agent's request is read. A token in the header is verified by the conductor first.
 * @returns undefined for every route that is not for agents
 * @throws AppError 404 for an unknown token and for a large body without one, 503 when the conductor does not answer
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

/** The error for a body that could not be read. A caller without a token gets the same 404 as for a missing token. */
export const bodyRefusal = (agent: AgentRequest | undefined, error: unknown): unknown =>
  agent?.isCut === true && error instanceof AppError && error.status === 413
    ? closing(noSuchAgent())
    : error;

/**
 * Refuses a body without a token before the node is looked up.
 * @throws NotFoundError
 */
export function checkTokenInBody(agent: AgentRequest | undefined, json: unknown): void {
  if (agent?.needsToken !== true) return;
  const token =
    typeof json === 'object' && json !== null && 'agent_token' in json
      ? json.agent_token
      : undefined;
  if (typeof token !== 'string' || token === '') throw noSuchAgent();
}

async function withHeaderToken(
  deps: GatewayDependencies,
  { request, requestId }: Exchange,
  { route, strict }: Accepted,
): Promise<AgentRequest> {
  const { address } = deps.clientAddressOf(request);
  const credentials = agentCredentialsOf(request.headers);
  if (credentials === undefined) {
    if ((strict.headers.contentLength ?? 0) > UNVERIFIED_BYTES) throw closing(noSuchAgent());
    return {
      limit: UNVERIFIED_BYTES,
      claims: { client_address: address },
      needsToken: true,
      isCut: true,
    };
  }
  try {
    await deps.agentTokens.check({ credentials, address, requestId });
  } catch (error) {
    throw error instanceof AppError && error.status === 404 ? closing(noSuchAgent()) : error;
  }
  return {
    limit: route.body.limit,
    claims: { client_address: address, agent_credentials: credentials },
    needsToken: false,
    isCut: false,
  };
}

/** The same message as the conductor's, so that a client cannot distinguish who refused. */
const noSuchAgent = (): AppError => new NotFoundError('Resource could not be found.');
