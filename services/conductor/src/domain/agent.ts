import { createHash, timingSafeEqual } from 'node:crypto';
import { isJsonObject, type NodeRecord, withoutSecrets } from '@tenure/contracts';
import { type Fields, membersOf, without } from './members.js';

/** Members of `driver_internal_info` that are about the agent; removed when its work is over. */
const AGENT_TOKEN = 'agent_secret_token';
const PREGENERATED = 'agent_secret_token_pregenerated';
const BOOT = 'agent_boot';
const AGENT_MEMBERS: readonly string[] = [
  AGENT_TOKEN,
  PREGENERATED,
  BOOT,
  'agent_url',
  'agent_address',
  'agent_version',
  'agent_verify_ca',
  'agent_status',
  'agent_status_message',
  'agent_last_heartbeat',
];

/** A boot that the conductor started for an agent, as the node's record keeps it. Nothing of it is secret. */
export interface AgentBootRecord {
  readonly id: string;
  /** Event of the order that the boot is for, for example `deploy`. */
  readonly work: string;
  /** `tenancy_revision` of the node at the boot: the secret is void as soon as the node has another. */
  readonly tenancyRevision: number;
  /** RFC 3339. */
  readonly startedAt: string;
  /** SHA-256 of the base image, hexadecimal. */
  readonly image: string;
}

/** An agent's report about itself. */
export interface AgentReport {
  readonly callback_url: string;
  readonly agent_version?: string | null;
  readonly agent_verify_ca?: string | null;
  readonly agent_status?: string | null;
  readonly agent_status_message?: string | null;
}

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

const VISIBLE = ['properties', 'instance_info', 'driver_internal_info'] as const;

/** `driver_internal_info` without anything of the agent, its secret among it. */
export const withoutAgent = (info: Fields): Fields => without(info, ...AGENT_MEMBERS);

/** The boot of the running work; undefined when the conductor started none, or the machine changed hands since. */
export function agentBootRecordOf(node: NodeRecord): AgentBootRecord | undefined {
  const { id, work, tenancy_revision, started_at, image } = membersOf(
    node.driver_internal_info[BOOT],
  );
  const isWhole = [id, work, started_at, image].every(isText);
  if (!isWhole || tenancy_revision !== node.tenancy_revision) return undefined;
  return {
    id: String(id),
    work: String(work),
    tenancyRevision: node.tenancy_revision,
    startedAt: String(started_at),
    image: String(image),
  };
}

/** True when the token of the node was made by the conductor and is in the booted medium: it is not handed out. */
export const hasPregeneratedToken = (node: NodeRecord): boolean =>
  node.driver_internal_info[PREGENERATED] === true;

/** True when a token was made or handed out for the node, whether or not it still counts. */
export const hasAgentToken = (node: NodeRecord): boolean => storedTokenOf(node) !== undefined;

/** The secret of the running boot, which is in its medium; undefined when the conductor made none, or it is void. */
export const bootSecretOf = (node: NodeRecord): string | undefined =>
  hasPregeneratedToken(node) ? agentTokenOf(node) : undefined;

/** `driver_internal_info` with a token that is handed out by a lookup. Every view of a node hides it. */
export const withAgentToken = (node: NodeRecord, token: string): Fields => ({
  ...without(node.driver_internal_info, PREGENERATED),
  [AGENT_TOKEN]: token,
  [BOOT]: { tenancy_revision: node.tenancy_revision },
});

/**
 * `driver_internal_info` for a boot that the conductor starts: nothing of an earlier agent, and a secret of its own.
 * @param info what else `driver_internal_info` is to hold
 * @param secret in the medium of the boot, and nowhere else but here
 */
export const withAgentBoot = (
  info: Fields,
  secret: string,
  { id, work, tenancyRevision, startedAt, image }: AgentBootRecord,
): Fields => ({
  ...withoutAgent(info),
  [AGENT_TOKEN]: secret,
  [PREGENERATED]: true,
  [BOOT]: { id, work, tenancy_revision: tenancyRevision, started_at: startedAt, image },
});

/**
 * Whether the token is the one of the agent that runs on this node now; in constant time, also for no node. A token of
 * another boot, or of a time when the machine was in other hands, is none.
 */
export function isAgentToken(node: NodeRecord | undefined, token: string): boolean {
  const stored = agentTokenOf(node);
  const isEqual = timingSafeEqual(digestOf(stored ?? ''), digestOf(token));
  return isEqual && stored !== undefined;
}

/** True when an agent with this address has reported for the node, or none has yet. */
export const isSameAgent = (node: NodeRecord, report: AgentReport): boolean =>
  [null, report.callback_url].some(
    (url) => url === (node.driver_internal_info['agent_url'] ?? null),
  );

/** True when the report brings no certificate, or that of the agent's first report. */
export function isSameCertificate(node: NodeRecord, report: AgentReport): boolean {
  const given = report.agent_verify_ca ?? '';
  if (given === '' || !hasReported(node)) return true;
  return given === textIn(node.driver_internal_info, 'agent_verify_ca');
}

/** The IP address that was checked when the agent reported first: no other is called. */
export const pinnedAddressOf = (node: NodeRecord): string | undefined =>
  textIn(node.driver_internal_info, 'agent_address');

/**
 * `driver_internal_info` with what the agent reported.
 * @param address IP address to call the agent at; undefined for one that cannot be called
 */
export function withReport(
  node: NodeRecord,
  report: AgentReport,
  { address, now }: { readonly address: string | undefined; readonly now: Date },
): Fields {
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
}

export function agentAddressOf(node: NodeRecord): AgentAddress | undefined {
  const { agent_url: url } = node.driver_internal_info;
  const token = agentTokenOf(node);
  if (typeof url !== 'string' || url === '' || token === undefined) return undefined;
  const verifyCa = textIn(node.driver_internal_info, 'agent_verify_ca');
  const verifyCaFile = textIn(node.driver_info, 'agent_verify_ca');
  return { url, pinned: pinnedAddressOf(node), token, verifyCa, verifyCaFile };
}

/** The node as a command passes it to the agent that has proved itself: without secrets. */
export const agentView = (node: NodeRecord): Fields => ({
  uuid: node.uuid,
  ...Object.fromEntries(VISIBLE.map((name) => [name, withoutSecrets(name, node[name])])),
});

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

function storedTokenOf(node: NodeRecord | undefined): string | undefined {
  const stored = node?.driver_internal_info[AGENT_TOKEN];
  return isText(stored) ? stored : undefined;
}

/** The valid token: the conductor shows it to the agent that it calls. Undefined when there is none. */
const agentTokenOf = (node: NodeRecord | undefined): string | undefined =>
  node !== undefined && isOfThisTenancy(node) ? storedTokenOf(node) : undefined;

/**
 * Whether the machine is still in the tenancy in which its token was made. A token that was handed out by an earlier version
 * of the conductor has no record of it.
 */
function isOfThisTenancy(node: NodeRecord): boolean {
  if (hasPregeneratedToken(node)) return agentBootRecordOf(node) !== undefined;
  const boot = node.driver_internal_info[BOOT];
  return !isJsonObject(boot) || boot['tenancy_revision'] === node.tenancy_revision;
}

/** Both sides are brought to one length, so that the comparison takes the same time whatever is compared. */
const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Whether an agent has reported for the node since it was booted. */
const hasReported = (node: NodeRecord): boolean =>
  typeof node.driver_internal_info['agent_url'] === 'string';

function textIn(info: Fields, name: string): string | undefined {
  const value = info[name];
  return isText(value) ? value : undefined;
}
