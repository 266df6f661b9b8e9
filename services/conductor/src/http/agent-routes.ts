import { type Static, type TSchema, Type } from '@sinclair/typebox';
import {
  type AgentCredentials,
  BadRequestError,
  HEARTBEAT_MEMBER_SINCE,
  minorOf,
  NotAcceptableError,
  NotFoundError,
  parse,
  UnauthorizedError,
  UUID_PATTERN,
} from '@tenure/contracts';
import { contextOf } from '@tenure/http';
import { newCallContext } from '@tenure/signed-context';
import { type Request, Router } from 'express';
import { type AgentWork, type Lookup } from '../application/agent-work.js';
import { lookupView } from '../domain/agent-lookup.js';
import { type AgentsNode } from '../ports/node-lookup.js';
import { accepted } from './accepted.js';

/** Seconds without a heartbeat after which an agent counts as lost; it reports more often. */
const HEARTBEAT_TIMEOUT_S = 300;
const MAX_ADDRESSES = 64;
const MAC = /^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$/u;

const Uuid = Type.String({ pattern: UUID_PATTERN });
const LookupQuery = Type.Object({
  addresses: Type.Optional(Type.String({ maxLength: 4096 })),
  node_uuid: Type.Optional(Uuid),
});
const NodeQuery = Type.Pick(LookupQuery, ['node_uuid']);

const nullable = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));

const HeartbeatBody = Type.Object(
  {
    // Empty from an installer that cannot be called back.
    callback_url: Type.String({
      pattern: '^(?:https?://[^\\s/@?#]+(?:[/?#][^\\s@]*)?)?$',
      maxLength: 2048,
    }),
    agent_token: nullable(Type.String({ maxLength: 255 })),
    agent_version: nullable(Type.String({ maxLength: 255 })),
    agent_verify_ca: nullable(Type.String({ maxLength: 65_536 })),
    agent_status: nullable(
      Type.Union([Type.Literal('start'), Type.Literal('end'), Type.Literal('error')]),
    ),
    agent_status_message: nullable(Type.String({ maxLength: 4096 })),
  },
  { additionalProperties: false },
);
type HeartbeatBody = Static<typeof HeartbeatBody>;

const FindingBody = Type.Object(
  {
    inventory: Type.Record(Type.String({ maxLength: 255 }), Type.Unknown(), { maxProperties: 255 }),
    agent_token: nullable(Type.String({ maxLength: 255 })),
  },
  { additionalProperties: true, maxProperties: 255 },
);
const InterfaceShape = Type.Object({
  interfaces: Type.Optional(
    Type.Array(Type.Object({ mac_address: nullable(Type.String({ maxLength: 64 })) }), {
      maxItems: MAX_ADDRESSES,
    }),
  ),
});

type AgentClaim = Parameters<AgentWork['nodeOfFindings']>[1];

/** The parameters of an agent's lookup, with the address of the caller. Throws BadRequestError. */
export function lookupOf(request: Request): Lookup {
  const { node_uuid: uuid, addresses = '' } = parse(LookupQuery, request.query, 'lookup');
  return {
    named: agentsNode(uuid, macsIn(addresses.split(','))),
    from: contextOf(request).client_address,
  };
}

/** The token in the body of a heartbeat, which may be anything yet. */
export function tokenOfHeartbeat(request: Request): string | undefined {
  const body: unknown = request.body;
  if (typeof body !== 'object' || body === null || !('agent_token' in body)) return undefined;
  return typeof body.agent_token === 'string' ? body.agent_token : undefined;
}

/**
 * The agent that sends inspection data, identified by the credentials in the header of its request, or by members of the body.
 * Throws BadRequestError, and NotFoundError when the two name different machines.
 */
export function agentOfFindings(request: Request): AgentClaim {
  const { inventory, agent_token: token } = parse(FindingBody, request.body, 'inspection data');
  const { node_uuid: uuid } = parse(NodeQuery, request.query, 'query');
  const { agent_credentials: credentials } = contextOf(request);
  if (credentials !== undefined) {
    const claim = claimOf(credentials);
    if (uuid !== undefined && uuid.toLowerCase() !== claim.named.nodeUuid)
      throw new NotFoundError('Resource could not be found.');
    return claim;
  }
  const { interfaces = [] } = parse(InterfaceShape, inventory, 'inventory');
  const macs = macsIn(interfaces.map(({ mac_address: mac }) => mac ?? ''));
  return { named: agentsNode(uuid, macs), token: token ?? undefined };
}

/** `GET /v1/lookup`, `POST /v1/heartbeat/{ident}` and `POST /v1/continue_inspection`: the agent has no token of the API. */
export function agentRouter(agents: AgentWork): Router {
  const router = Router({ caseSensitive: true });
  router.get('/v1/lookup', async (request, response) => {
    const context = newCallContext('baremetal:driver:ipa_lookup');
    const { node, token } = await agents.lookup(context, lookupOf(request));
    response.json({
      node: lookupView(node),
      config: {
        heartbeat_timeout: HEARTBEAT_TIMEOUT_S,
        agent_token: token ?? '******',
        agent_token_required: true,
      },
    });
  });
  router.post('/v1/continue_inspection', async (request, response) => {
    const { inventory, ...others } = parse(FindingBody, request.body, 'inspection data');
    const pluginData = Object.fromEntries(
      Object.entries(others).filter(([name]) => name !== 'agent_token'),
    );
    const claim = agentOfFindings(request);
    const context = newCallContext('baremetal:driver:ipa_continue_inspection');
    const found = await agents.continueInspection(context, claim, { inventory, pluginData });
    response.status(202).json({ uuid: found });
  });
  router.use(heartbeatRouter(agents));
  router.use(tokenRouter(agents));
  return router;
}

function agentsNode(nodeUuid: string | undefined, addresses: readonly string[]): AgentsNode {
  if (nodeUuid === undefined && addresses.length === 0)
    throw new BadRequestError('At least "addresses" or "node_uuid" parameter is required');
  return { nodeUuid: nodeUuid?.toLowerCase(), addresses };
}

/** The addresses that are MAC addresses; an agent may have interfaces of other kinds too. */
function macsIn(candidates: readonly string[]): readonly string[] {
  const macs = candidates.map((text) => text.trim().toLowerCase()).filter((mac) => MAC.test(mac));
  if (macs.length > MAX_ADDRESSES)
    throw new BadRequestError(`At most ${MAX_ADDRESSES} addresses can be given.`);
  return [...new Set(macs)];
}

const claimOf = ({ node_uuid: uuid, token }: AgentCredentials): AgentClaim => ({
  named: { nodeUuid: uuid.toLowerCase(), addresses: [] },
  token,
});

function heartbeatRouter(agents: AgentWork): Router {
  const router = Router({ caseSensitive: true });
  router.post('/v1/heartbeat/:ident', async (request, response) => {
    const body = parse(HeartbeatBody, request.body, 'heartbeat');
    assertServed(body, minorOf(contextOf(request)));
    const { agent_token: token, ...report } = body;
    await agents.heartbeat(newCallContext('baremetal:node:ipa_heartbeat'), {
      ident: request.params.ident,
      token: token ?? undefined,
      from: contextOf(request).client_address,
      report,
    });
    accepted(response);
  });
  return router;
}

/**
 * `GET /internal/agent-token`: the gateway's question, before it reads a large body, whether the credentials in the context
 * are those of an agent whose findings a node waits for. 204, or the 404 that every other answer to an agent is.
 */
function tokenRouter(agents: AgentWork): Router {
  const router = Router({ caseSensitive: true });
  router.get('/internal/agent-token', async (request, response) => {
    const { agent_credentials: credentials } = contextOf(request);
    if (credentials === undefined) throw new UnauthorizedError('No credentials of an agent.');
    const context = newCallContext('baremetal:driver:ipa_continue_inspection');
    const node = await agents.nodeOfFindings(context, claimOf(credentials));
    if (node === undefined) throw new NotFoundError('Resource could not be found.');
    response.status(204).end();
  });
  return router;
}

function assertServed(body: HeartbeatBody, minor: number): void {
  for (const [name, since] of Object.entries(HEARTBEAT_MEMBER_SINCE))
    if (Object.hasOwn(body, name) && minor < since) throw new NotAcceptableError();
}
