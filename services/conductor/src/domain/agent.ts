import { createHash, timingSafeEqual } from 'node:crypto';
import { type NodeRecord, withoutSecrets } from '@tenure/contracts';

type Fields = Readonly<Record<string, unknown>>;

/** Members of `driver_internal_info` that are about the agent; gone when the work it was for is over. */
const AGENT_TOKEN = 'agent_secret_token';
const AGENT_MEMBERS: ReadonlySet<string> = new Set([
  AGENT_TOKEN,
  'agent_url',
  'agent_address',
  'agent_version',
  'agent_verify_ca',
  'agent_status',
  'agent_status_message',
  'agent_last_heartbeat',
]);

export const withoutAgent = (info: Fields): Fields =>
  Object.fromEntries(Object.entries(info).filter(([name]) => !AGENT_MEMBERS.has(name)));

/** Both sides are brought to one length, so that the comparison takes the same time whatever is compared. */
const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/** The token as it was given: the conductor shows it to the agent that it calls. Undefined when none was given. */
const agentTokenOf = (node: NodeRecord | undefined): string | undefined => {
  const stored = node?.driver_internal_info[AGENT_TOKEN];
  return typeof stored === 'string' && stored !== '' ? stored : undefined;
};

export const hasAgentToken = (node: NodeRecord): boolean => agentTokenOf(node) !== undefined;

/** Whether the running boot brought its token with it, so that no lookup may give one. */
export const hasPregeneratedToken = (node: NodeRecord): boolean =>
  node.driver_internal_info['agent_secret_token_pregenerated'] === true && hasAgentToken(node);

/** `driver_internal_info` with the token. Every view of a node hides it. */
export const withAgentToken = (node: NodeRecord, token: string): Fields => ({
  ...node.driver_internal_info,
  [AGENT_TOKEN]: token,
});

/** Whether the token is the one given to the agent of this node; in constant time, also for no node. */
export const isAgentToken = (node: NodeRecord | undefined, token: string): boolean => {
  const stored = agentTokenOf(node);
  const isEqual = timingSafeEqual(digestOf(stored ?? ''), digestOf(token));
  return isEqual && stored !== undefined;
};

/** What an agent reports of itself. */
export interface AgentReport {
  readonly callback_url: string;
  readonly agent_version?: string | null;
  readonly agent_verify_ca?: string | null;
  readonly agent_status?: string | null;
  readonly agent_status_message?: string | null;
}

const textIn = (info: Fields, name: string): string | undefined => {
  const value = info[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** Whether an agent has reported for the node since it was booted. */
const hasReported = (node: NodeRecord): boolean =>
  typeof node.driver_internal_info['agent_url'] === 'string';

/** True when an agent with this address has reported for the node, or none has yet. */
export const isSameAgent = (node: NodeRecord, report: AgentReport): boolean =>
  [null, report.callback_url].includes(
    (node.driver_internal_info['agent_url'] ?? null) as string | null, // only compared
  );

/** True when the report brings no certificate, or that of the agent's first report. */
export const isSameCertificate = (node: NodeRecord, report: AgentReport): boolean => {
  const given = report.agent_verify_ca ?? '';
  if (given === '' || !hasReported(node)) return true;
  return given === textIn(node.driver_internal_info, 'agent_verify_ca');
};

/** The IP address that was checked when the agent reported first: no other is called. */
export const pinnedAddressOf = (node: NodeRecord): string | undefined =>
  textIn(node.driver_internal_info, 'agent_address');

/**
 * `driver_internal_info` with what the agent reported.
 * @param address IP address to call the agent at; undefined for one that cannot be called
 */
export const withReport = (
  node: NodeRecord,
  report: AgentReport,
  { address, now }: { readonly address: string | undefined; readonly now: Date },
): Fields => {
  const { callback_url: agent_url, ...rest } = report;
  const given = Object.fromEntries(
    Object.entries(rest).filter(
      ([name, value]) => value !== null && (name !== 'agent_verify_ca' || value !== ''),
    ),
  );
  return {
    ...node.driver_internal_info,
    ...given,
    agent_url,
    ...(address !== undefined && { agent_address: address }),
    agent_last_heartbeat: now.toISOString(),
  };
};

/** Where an agent is called, and with what; undefined before it has reported. */
export interface AgentAddress {
  readonly url: string;
  /** IP address that the connection goes to, whatever the host of the URL resolves to. */
  readonly pinned?: string | undefined;
  readonly token: string;
  /** Certificate of the agent, or of who signed it; PEM. */
  readonly verifyCa: string | undefined;
  /** CA file that the operator names for this machine's agent, in place of what the agent reports. */
  readonly verifyCaFile?: string | undefined;
}

export const agentAddressOf = (node: NodeRecord): AgentAddress | undefined => {
  const { agent_url: url } = node.driver_internal_info;
  const token = agentTokenOf(node);
  if (typeof url !== 'string' || url === '' || token === undefined) return undefined;
  const verifyCa = textIn(node.driver_internal_info, 'agent_verify_ca');
  const verifyCaFile = textIn(node.driver_info, 'agent_verify_ca');
  return { url, pinned: pinnedAddressOf(node), token, verifyCa, verifyCaFile };
};

const SHOWN = ['properties', 'instance_info', 'driver_internal_info'] as const;

/** The node as a command passes it to the agent that has proved itself: without secrets. */
export const agentView = (node: NodeRecord): Fields => ({
  uuid: node.uuid,
  ...Object.fromEntries(SHOWN.map((name) => [name, withoutSecrets(name, node[name])])),
});
