import { createHash, timingSafeEqual } from 'node:crypto';
import { type NodeRecord, withoutSecrets } from '@tenure/contracts';

type Fields = Readonly<Record<string, unknown>>;

/** Members of `driver_internal_info` that are about the agent; gone when the work it was for is over. */
const AGENT_TOKEN = 'agent_secret_token';
const AGENT_MEMBERS: ReadonlySet<string> = new Set([
  AGENT_TOKEN,
  'agent_url',
  'agent_version',
  'agent_verify_ca',
  'agent_status',
  'agent_status_message',
  'agent_last_heartbeat',
]);

export const withoutAgent = (info: Fields): Fields =>
  Object.fromEntries(Object.entries(info).filter(([name]) => !AGENT_MEMBERS.has(name)));

const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Of no token: compared with when a node has none, so that the answer takes no less time. */
const NO_DIGEST = '0'.repeat(64);

const storedDigest = (node: NodeRecord | undefined): string => {
  const stored = node?.driver_internal_info[AGENT_TOKEN];
  return typeof stored === 'string' && /^[0-9a-f]{64}$/u.test(stored) ? stored : NO_DIGEST;
};

export const hasAgentToken = (node: NodeRecord): boolean => storedDigest(node) !== NO_DIGEST;

/** `driver_internal_info` with the token; only its digest is stored. */
export const withAgentToken = (node: NodeRecord, token: string): Fields => ({
  ...node.driver_internal_info,
  [AGENT_TOKEN]: digestOf(token),
});

/** Whether the token is the one given to the agent of this node; in constant time, also for no node. */
export const isAgentToken = (node: NodeRecord | undefined, token: string): boolean =>
  timingSafeEqual(Buffer.from(storedDigest(node)), Buffer.from(digestOf(token)));

/** What an agent reports of itself. */
export interface AgentReport {
  readonly callback_url: string;
  readonly agent_version?: string | null;
  readonly agent_verify_ca?: string | null;
  readonly agent_status?: string | null;
  readonly agent_status_message?: string | null;
}

/** True when an agent with this address has reported for the node, or none has yet. */
export const isSameAgent = (node: NodeRecord, report: AgentReport): boolean =>
  [null, report.callback_url].includes(
    (node.driver_internal_info['agent_url'] ?? null) as string | null, // only compared
  );

/** `driver_internal_info` with what the agent reported. */
export const withReport = (node: NodeRecord, report: AgentReport, now: Date): Fields => {
  const { callback_url: agent_url, ...rest } = report;
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
  return {
    ...node.driver_internal_info,
    ...given,
    agent_url,
    agent_last_heartbeat: now.toISOString(),
  };
};

const SHOWN = ['properties', 'instance_info', 'driver_internal_info'] as const;

/** What an agent, who has no token of the API, is told of its node: no secrets. */
export const agentView = (node: NodeRecord): Fields => ({
  uuid: node.uuid,
  ...Object.fromEntries(SHOWN.map((name) => [name, withoutSecrets(name, node[name])])),
});
