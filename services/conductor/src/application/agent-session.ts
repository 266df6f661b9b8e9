import { randomBytes, randomUUID } from 'node:crypto';
import { type NodeRecord, timestampOf } from '@tenure/contracts';
import { type Deadline, isOver, retry, sleepWithin } from '@tenure/process';
import { checkedAgentImage } from '../domain/agent-image.js';
import {
  type AgentAddress,
  agentAddressOf,
  type AgentBootRecord,
  agentBootRecordOf,
  bootSecretOf,
  withAgentBoot,
} from '../domain/agent.js';
import { DriverFailure } from '../domain/driver-failure.js';
import {
  type AgentProgress,
  BOOTED,
  type GivenCommand,
} from '../domain/provision/agent-progress.js';
import { type Fields, pendingFields, type WorkResult } from '../domain/provision/fields.js';
import {
  type PendingProvision,
  pendingProvisionOf,
  withPendingProvision,
} from '../domain/provision/pending.js';
import { type AgentState, waitStateOf } from '../domain/provision/states.js';
import {
  AgentCallFailure,
  type AgentCommand,
  type AgentCommandStatus,
} from '../ports/agent-client.js';
import { type DriverOf } from '../ports/hardware-driver.js';
import { type AgentBoot, type AskAgent } from '../ports/provisioning.js';
import { type LockedWork, writeWithRetry } from './locked-write.js';
import { type ProvisioningPorts, type SharedParts } from './shared-parts.js';
import { jobUnder } from './work-job.js';

/** Work under a lock that may go on with an agent. */
export interface Session extends LockedWork {
  readonly state: AgentState;
  readonly options: Pick<SharedParts, 'driverOf' | 'now'> &
    Pick<ProvisioningPorts, 'agents' | 'media'>;
}

const TRIES = 3;
const PAUSE_MS = 500;

const SECRET_BYTES = 32;

/** The part of a session that booting the agent needs. */
export interface BootSession extends LockedWork {
  readonly options: Pick<Session['options'], 'driverOf' | 'media' | 'now'>;
}

const LOST =
  'was sent, but the agent does not know it, or it was interrupted before the agent took it; it is not sent again';

/** The pending provision order in the record. Throws when there is none. */
export function pendingOf({ lock }: Pick<Session, 'lock'>): PendingProvision {
  const pending = pendingProvisionOf(lock.node());
  if (pending === undefined) throw new Error('work without an order');
  return pending;
}

/** How the agent is booted on a node; undefined when it cannot be. */
export function agentBootOf(driverOf: DriverOf, node: NodeRecord): AgentBoot | undefined {
  const boot = driverOf(node).provisioning.agent;
  return boot?.isPossible(node) === true ? boot : undefined;
}

/** The progress with the agent, its last command forgotten. */
export const withoutCommand = ({ phase, isPlanned }: AgentProgress): AgentProgress => ({
  phase,
  isPlanned,
});

/**
 * Starts the machine with the agent, from a boot medium that is made for this boot and contains its secret. The secret is
 * persisted first, so an agent never runs with a secret that the conductor does not have; the secret of an earlier boot is
 * invalid from then on. An interrupted boot is continued where it stopped.
 * @param pending the pending order, which is written together with the secret
 * @throws DriverFailure; nothing was done to the machine when the image is the reason
 */
export async function startAgent(
  session: BootSession,
  pending: PendingProvision,
): Promise<WorkResult> {
  const { lock, options, deadline } = session;
  const { driverOf, media } = options;
  const boot = agentBootOf(driverOf, lock.node());
  if (boot === undefined)
    throw new DriverFailure(
      'settings',
      'an agent is needed, and driver_info.deploy_iso is not set',
    );
  const image = await media.fetch(checkedAgentImage(lock.node()), deadline);
  const begun = interruptedBoot(lock.node(), pending);
  // The image that a boot began with is the one it goes on with.
  const id = begun?.image === image ? begun.id : await newBoot(session, pending, image);
  const address = await media.publish(lock.node(), deadline);
  const job = jobUnder(session, `boot ${id}`);
  return boot.boot(lock.node(), { job, image: address }, deadline);
}

/**
 * Boots the agent. The report of an earlier agent is deleted first: the new one has a secret of its own.
 * @param stepsDone how many steps are done once it is booted
 * @returns what the node is to be released with, to wait for the agent
 */
export async function bootAgent(session: Session, stepsDone: number): Promise<Fields> {
  const { lock, options, state } = session;
  const pending = pendingOf(session);
  const agent = { ...withoutCommand(pending.agent ?? BOOTED), phase: 'booted' } as const;
  const { set, internal } = await startAgent(session, { ...pending, agent });
  const left = { ...pending, stepsDone, agent };
  const fields = pendingFields(lock.node(), waitStateOf(state), left, options.now());
  return {
    ...set,
    ...fields,
    driver_internal_info: { ...fields.driver_internal_info, ...internal },
  };
}

/** For commands that may be given twice; see `AskAgent`. */
export const askAgent =
  (session: Session): AskAgent =>
  async (command) => {
    const { agents } = session.options;
    const ended = await withAgentRetry(
      () => agents.send(addressOf(session), { ...command, wait: true }, session.deadline),
      session.deadline,
    );
    assertSucceeded(ended);
    return ended.result;
  };

/**
 * Sends the agent a command, or polls the command that was already sent. A command is never sent twice.
 * @param command builds the command; called only when none was sent yet
 * @param onAnswer called with the result once the command has succeeded
 * @returns the fields to release the node with while the command runs; undefined once it has succeeded
 * @throws DriverFailure when it failed, or is lost
 */
export async function runCommand(
  session: Session,
  command: () => Promise<AgentCommand>,
  onAnswer: (answer: unknown) => void = () => undefined,
): Promise<Fields | undefined> {
  const given = pendingOf(session).agent?.command;
  let status: AgentCommandStatus | 'running';
  if (given === undefined) status = await give(session, await command());
  else if (given.id === undefined) status = await foundAgain(session, given);
  else status = await look(session, given.id);
  if (status === 'running') return waitForCommand(session, undefined);
  if (status.status === 'RUNNING') return waitForCommand(session, status.id);
  assertSucceeded(status);
  onAnswer(status.result);
  return undefined;
}

/**
 * The boot that was begun for this work before a restart, and not completed; undefined when there is none:
 * in a busy state an agent counts as booted only while it is being booted.
 */
function interruptedBoot(
  node: NodeRecord,
  { event, agent }: PendingProvision,
): AgentBootRecord | undefined {
  const boot = agentBootRecordOf(node);
  const before = pendingProvisionOf(node)?.agent?.phase;
  const isBooting = before === 'booted' && agent?.phase === 'booted';
  return isBooting && boot?.work === event && bootSecretOf(node) !== undefined ? boot : undefined;
}

/** Persists a new boot of the agent, with a new secret. */
async function newBoot(
  session: BootSession,
  pending: PendingProvision,
  image: string,
): Promise<string> {
  const node = session.lock.node();
  const now = session.options.now();
  const boot = {
    id: randomUUID(),
    work: pending.event,
    tenancyRevision: node.tenancy_revision,
    startedAt: timestampOf(now),
    image,
  };
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const info = withAgentBoot(withPendingProvision(node, pending, now), secret, boot);
  await writeWithRetry(session, { driver_internal_info: info });
  return boot.id;
}

/** Does what may be done again, a few times while the agent cannot be reached. */
const withAgentRetry = <T>(ask: () => Promise<T>, deadline: Deadline): Promise<T> =>
  retry(ask, {
    attempts: TRIES,
    isTransient: (error) =>
      error instanceof AgentCallFailure &&
      ['timeout', 'unreachable'].includes(error.kind) &&
      !isOver(deadline),
    pauseMs: (attempt) => PAUSE_MS * attempt,
    sleep: (ms) => sleepWithin(ms, deadline),
  });

/** @throws AgentCallFailure when the agent has not reported its address */
function addressOf({ lock }: Pick<Session, 'lock'>): AgentAddress {
  const address = agentAddressOf(lock.node());
  if (address === undefined)
    throw new AgentCallFailure('settings', 'the agent reported no address', { maybeSent: false });
  return address;
}

/** @throws DriverFailure with the agent's error text, unless the command succeeded */
function assertSucceeded({ name, status, error }: AgentCommandStatus): void {
  if (status === 'SUCCEEDED') return;
  const said = error === undefined || error === '' ? '' : `: ${error}`;
  throw new DriverFailure(
    'answer',
    status === 'CLEAN_VERSION_MISMATCH'
      ? `the agent was replaced by another version of itself during ${name}`
      : `the agent failed to do ${name}${said}`,
  );
}

/** Persists the command and the ids of the commands that the agent already has, then sends it. */
async function give(session: Session, command: AgentCommand): Promise<AgentCommandStatus> {
  const name = ownName(command);
  const idsBefore = (await listed(session, name)).map(({ id }) => id);
  const pending = pendingOf(session);
  const agent = { ...(pending.agent ?? BOOTED), command: { name, idsBefore } };
  await writePending(session, { ...pending, agent });
  return sendOnce(session, command, idsBefore);
}

/** Finds the command that was sent but whose response was lost. */
async function foundAgain(
  session: Session,
  { name, idsBefore }: Pick<GivenCommand, 'name' | 'idsBefore'>,
  cause?: unknown,
): Promise<AgentCommandStatus> {
  const found = (await listed(session, name)).find(({ id }) => !idsBefore.includes(id));
  if (found === undefined)
    throw new DriverFailure('no_effect', `the command ${name} ${LOST}`, { cause });
  return found;
}

/** The status of a command; `running` while the agent cannot be reached, since that says nothing about the command. */
async function look(session: Session, id: string): Promise<AgentCommandStatus | 'running'> {
  const { agents } = session.options;
  try {
    return await agents.get(addressOf(session), id, session.deadline);
  } catch (error) {
    if (error instanceof AgentCallFailure && error.status === undefined) return 'running';
    throw error;
  }
}

/** The fields to release the node with while its agent runs the command, with the id of the command once the agent returned it. */
function waitForCommand({ lock, state, options }: Session, id: string | undefined): Fields {
  const pending = pendingOf({ lock });
  const { agent = BOOTED } = pending;
  const command =
    agent.command === undefined || id === undefined ? agent.command : { ...agent.command, id };
  const waiting = { ...agent, ...(command !== undefined && { command }) };
  return pendingFields(
    lock.node(),
    waitStateOf(state),
    { ...pending, agent: waiting },
    options.now(),
  );
}

const ownName = ({ name }: AgentCommand): string => name.slice(name.lastIndexOf('.') + 1);

/** Those commands of this name that the agent has. */
async function listed(session: Session, name: string): Promise<readonly AgentCommandStatus[]> {
  const { agents } = session.options;
  const all = await withAgentRetry(
    () => agents.list(addressOf(session), session.deadline),
    session.deadline,
  );
  return all.filter((one) => one.name === name || one.name.endsWith(`.${name}`));
}

function writePending(session: Session, pending: PendingProvision): Promise<void> {
  const info = withPendingProvision(session.lock.node(), pending, session.options.now());
  return writeWithRetry(session, { driver_internal_info: info });
}

async function sendOnce(
  session: Session,
  command: AgentCommand,
  idsBefore: readonly string[],
): Promise<AgentCommandStatus> {
  const { agents } = session.options;
  try {
    return await agents.send(addressOf(session), { ...command, wait: false }, session.deadline);
  } catch (error) {
    if (!(error instanceof AgentCallFailure) || !error.maybeSent) throw error;
    return foundAgain(session, { name: ownName(command), idsBefore }, error);
  }
}
