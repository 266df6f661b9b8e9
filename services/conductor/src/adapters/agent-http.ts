import { X509Certificate } from 'node:crypto';
import { type Static, Type } from '@sinclair/typebox';
import { api, parse, withoutTrailing } from '@tenure/contracts';
import {
  type AddressGuard,
  addressGuard,
  agentUrlIn,
  allowedAddressOf,
  guardedLookup,
  hostOf,
  literalIn,
  pinnedLookup,
} from '@tenure/http';
import { type Deadline, isOver, remainingMs } from '@tenure/process';
import { Client } from 'undici';
import { type AgentAddress } from '../domain/agent.js';
import {
  AgentCallFailure,
  type AgentClient,
  type AgentCommandStatus,
} from '../ports/agent-client.js';
import { fromStatus, fromTransport, saidBy } from './agent/agent-error.js';
import { loadTrust } from './redfish/trust.js';

/** Limits of every call of an agent. */
interface AgentLimits {
  readonly connectMs: number;
  readonly callMs: number;
  /** A command whose answer comes when it has ended. */
  readonly waitMs: number;
  readonly maxAnswerBytes: number;
}

const AGENT_LIMITS: AgentLimits = {
  connectMs: 5000,
  callMs: 30_000,
  waitMs: 120_000,
  maxAnswerBytes: 4 * 1024 * 1024,
};

/** Milliseconds that the resolver is given for the name in a report. */
const RESOLVE_MS = 2000;

export interface AgentClientOptions {
  readonly allowLoopback: boolean;
  /** Whether an IP address lies in the networks of agents that the operator names. */
  readonly isInNetworks: (address: string) => boolean;
  /** Agents are called over https only. */
  readonly tlsRequired: boolean;
  /** The only directory for the operator's CA files. */
  readonly caDirectory: string;
  readonly limits?: AgentLimits;
}

const Command = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 255, pattern: '^[\\w-]+$' }),
  command_name: Type.String({ maxLength: 255 }),
  command_status: api.enumOf('RUNNING', 'SUCCEEDED', 'FAILED', 'CLEAN_VERSION_MISMATCH'),
  command_result: Type.Optional(Type.Unknown()),
  command_error: Type.Optional(Type.Unknown()),
});
type Command = Static<typeof Command>;
const Commands = Type.Object({ commands: Type.Array(Command, { maxItems: 10_000 }) });

interface Call {
  readonly method: 'GET' | 'POST';
  /** Below `/v1/commands/`. */
  readonly path: string;
  /** Beside the token. */
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly callMs: number;
}

interface Way {
  readonly limits: AgentLimits;
  /** Addresses that may be called when none was pinned. */
  readonly guard: AddressGuard;
  /** The guard that applies to pinned addresses as well. */
  readonly always: AddressGuard;
  readonly caDirectory: string;
  /** Undefined for a URL that no agent has. */
  readonly urlIn: (text: string) => URL | undefined;
}

/** The agent's command API over HTTP. */
export function createAgentClient({
  allowLoopback,
  isInNetworks,
  tlsRequired,
  caDirectory,
  limits = AGENT_LIMITS,
}: AgentClientOptions): AgentClient {
  const always = addressGuard(allowLoopback);
  const guard: AddressGuard = (address) => always(address) && isInNetworks(address);
  const urlIn = (text: string): URL | undefined => {
    const url = agentUrlIn(text);
    return tlsRequired && url?.protocol !== 'https:' ? undefined : url;
  };
  const way = { limits, guard, always, caDirectory, urlIn };
  const { callMs, waitMs } = limits;
  return {
    addressFor: async (text, from) => {
      const url = urlIn(text);
      if (url === undefined) return undefined;
      const sender = literalIn(from ?? '');
      const mayCall: AddressGuard = (address) =>
        always(address) && (address === sender || isInNetworks(address));
      return allowedAddressOf(url, mayCall, RESOLVE_MS);
    },
    send: async (address, { name, params, wait }, deadline) => {
      const call = {
        method: 'POST',
        path: '',
        query: { wait: wait ? 'true' : 'false' },
        body: { name, params },
        callMs: wait ? waitMs : callMs,
      } as const;
      const answer = await callOnce(way, address, call, deadline);
      return readAs(() => statusOf(parse(Command, answer, 'command')));
    },
    get: async (address, id, deadline) => {
      const call = { method: 'GET', path: encodeURIComponent(id), callMs } as const;
      const answer = await callOnce(way, address, call, deadline);
      return readAs(() => statusOf(parse(Command, answer, 'command')));
    },
    list: async (address, deadline) => {
      const call = { method: 'GET', path: '', callMs } as const;
      const answer = await callOnce(way, address, call, deadline);
      return readAs(() => parse(Commands, answer, 'commands').commands.map(statusOf));
    },
  };
}

/** One call, and one answer or one failure. No redirect is followed. */
async function callOnce(
  way: Way,
  address: AgentAddress,
  call: Call,
  deadline: Deadline,
): Promise<unknown> {
  if (!isCallable(address, way))
    throw new AgentCallFailure('settings', 'the agent reported an address that is not called', {
      maybeSent: false,
    });
  if (isOver(deadline))
    throw new AgentCallFailure('timeout', 'no time was left to ask the agent', {
      maybeSent: false,
    });
  const callMs = Math.max(1, Math.ceil(Math.min(call.callMs, remainingMs(deadline))));
  const client = await openClient(address, callMs, way);
  const signal = AbortSignal.any([deadline.signal, AbortSignal.timeout(callMs)]);
  const prefix = withoutTrailing(new URL(address.url).pathname, '/');
  try {
    return await exchange(client, call, { prefix, token: address.token, signal });
  } catch (error) {
    throw error instanceof AgentCallFailure ? error : fromTransport(error);
  } finally {
    await client.destroy().catch(() => undefined);
  }
}

function readAs<T>(read: () => T): T {
  try {
    return read();
  } catch {
    throw malformed();
  }
}

const statusOf = (command: Command): AgentCommandStatus => ({
  id: command.id,
  name: command.command_name,
  status: command.command_status,
  result: command.command_result,
  error:
    command.command_error === undefined || command.command_error === null
      ? undefined
      : saidBy(command.command_error),
});

/** Whether the address that was pinned, or the literal in the URL, may be called; a name is judged when it is resolved. */
function isCallable({ url: text, pinned }: AgentAddress, way: Way): boolean {
  const url = way.urlIn(text);
  if (url === undefined) return false;
  const literal = literalIn(hostOf(url));
  if (pinned === undefined) return literal === undefined || way.guard(literal);
  return (literal === undefined || literal === pinned) && way.always(pinned);
}

async function openClient(address: AgentAddress, callMs: number, way: Way): Promise<Client> {
  const { url, pinned } = address;
  const { limits, guard } = way;
  const trust = await trustOf(address, way);
  const lookup = pinned === undefined ? guardedLookup(guard) : pinnedLookup(pinned);
  return new Client(new URL(url).origin, {
    headersTimeout: callMs,
    bodyTimeout: callMs,
    maxResponseSize: limits.maxAnswerBytes,
    connect: { timeout: limits.connectMs, lookup, ...trust },
  });
}

async function exchange(
  client: Client,
  { method, query, body, path }: Call,
  {
    prefix,
    token,
    signal,
  }: { readonly prefix: string; readonly token: string; readonly signal: AbortSignal },
): Promise<unknown> {
  const response = await client.request({
    method,
    path: `${prefix}/v1/commands/${path}`,
    query: { ...query, agent_token: token },
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
    signal,
  });
  const text = await response.body.text();
  if (response.statusCode < 200 || response.statusCode >= 300)
    throw fromStatus(response.statusCode);
  return readAs((): unknown => JSON.parse(text));
}

/**
 * The certificates to trust for the agent: those of the operator's file before the one that it reported.
 * @throws AgentCallFailure when there is no usable certificate in them
 */
async function trustOf(
  { url, verifyCa, verifyCaFile }: AgentAddress,
  { caDirectory }: Way,
): Promise<{ readonly ca?: string[] }> {
  if (!url.startsWith('https:')) return {};
  if (verifyCaFile !== undefined)
    try {
      const { ca = [] } = await loadTrust({ caFile: verifyCaFile }, caDirectory);
      return { ca: [...ca] };
    } catch {
      throw untrusted('driver_info.agent_verify_ca does not name a usable CA file');
    }
  if (verifyCa === undefined) return {};
  try {
    return { ca: [new X509Certificate(verifyCa).toString()] };
  } catch {
    throw untrusted('the agent reported no usable certificate');
  }
}

const untrusted = (why: string): AgentCallFailure =>
  new AgentCallFailure('tls', why, { maybeSent: false });

const malformed = (): AgentCallFailure =>
  new AgentCallFailure('malformed', 'the answer of the agent was not what it should be', {
    maybeSent: true,
  });
