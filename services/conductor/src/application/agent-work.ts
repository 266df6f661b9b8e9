import { randomBytes } from 'node:crypto';
import {
  AppError,
  BadRequestError,
  type CallContext,
  ConflictError,
  type NodeRecord,
  NotFoundError,
} from '@tenure/contracts';
import {
  type AgentReport,
  hasAgentToken,
  hasPregeneratedToken,
  isAgentToken,
  isSameAgent,
  isSameCertificate,
  pinnedAddressOf,
  withAgentToken,
  withReport,
} from '../domain/agent.js';
import { factsOf, propertiesWith } from '../domain/inspection.js';
import { doneFields, type Fields, inspectedFields } from '../domain/provision/fields.js';
import { pendingProvisionOf } from '../domain/provision/pending.js';
import { AGENT_STATES, busyStateOf, expectsAgent } from '../domain/provision/states.js';
import { unlessRefused } from '../domain/refused.js';
import { type AgentsNode } from '../ports/node-lookup.js';
import { type NodeLock, type NodeLocks } from './node-locks.js';
import { type ProvisionWork } from './provision-work.js';
import { type ProvisioningPorts, type SharedParts } from './shared-parts.js';
import { orRelease } from './under-lock.js';

/** Parameters of an agent's lookup of its node. */
export interface Lookup {
  readonly named: AgentsNode;
  /** IP address of the caller; undefined when it is not certain. */
  readonly from: string | undefined;
}

/** The node of an agent, and the agent's token when this lookup is the one that hands it out. */
interface FoundNode {
  readonly node: NodeRecord;
  readonly token: string | undefined;
}

/** The node that a caller claims to be the agent of, and its token. */
interface AgentClaim {
  readonly named: AgentsNode;
  readonly token: string | undefined;
}

/** An agent's heartbeat, as it came: nothing of it is believed yet. */
interface AgentHeartbeat {
  /** How the agent names its node. */
  readonly ident: string;
  readonly token: string | undefined;
  /** IP address that it came from; undefined when it is not certain. */
  readonly from: string | undefined;
  readonly report: AgentReport;
}

/** Inspection data from an agent: `inventory`, and members that its collectors add. */
interface Finding {
  readonly inventory: Fields;
  readonly pluginData: Fields;
}

/**
 * The conductor's side of the agent on a machine, which has no token of the API. No answer may reveal more than that there
 * is no such node for this agent now: a node that is missing, one in a state without an agent, a wrong token, and a lookup
 * from a network that gets no token are all the same 404.
 */
export interface AgentWork {
  /** The node of a caller that may look it up; undefined for every other. */
  readonly nodeOfLookup: (context: CallContext, lookup: Lookup) => Promise<NodeRecord | undefined>;
  /** The node that waits for the agent with this token; undefined for every other caller. */
  readonly nodeOfHeartbeat: (
    context: CallContext,
    heartbeat: Pick<AgentHeartbeat, 'ident' | 'token'>,
  ) => Promise<NodeRecord | undefined>;
  /** The node that waits for what the agent with this token finds; undefined for every other caller. */
  readonly nodeOfFindings: (
    context: CallContext,
    claim: AgentClaim,
  ) => Promise<NodeRecord | undefined>;
  readonly lookup: (context: CallContext, lookup: Lookup) => Promise<FoundNode>;
  readonly heartbeat: (context: CallContext, heartbeat: AgentHeartbeat) => Promise<void>;
  /** Ends an inspection that waits for the agent. Returns the node's uuid. */
  readonly continueInspection: (
    context: CallContext,
    claim: AgentClaim,
    finding: Finding,
  ) => Promise<string>;
}

export interface AgentWorkOptions
  extends
    Pick<SharedParts, 'inventory' | 'locks' | 'now'>,
    Pick<ProvisioningPorts, 'agents' | 'isAgentNetwork' | 'lookup'> {
  readonly provision: Pick<ProvisionWork, 'goOn' | 'resume'>;
}

const TOKEN_BYTES = 32;
const WAITS_FOR_FINDINGS = 'inspect wait';

export function createAgentWork(options: AgentWorkOptions): AgentWork {
  const { inventory, locks, provision, agents, now } = options;
  const agentNodes = createAgentNodes(options);

  const giveToken = async (context: CallContext, node: NodeRecord): Promise<string | undefined> => {
    const lock = await takeFor(locks, context, node.uuid);
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const { set, given } = await orRelease(lock, (fresh) => {
      assertExpected(fresh);
      return hasToken(fresh)
        ? { set: {}, given: undefined }
        : { set: { driver_internal_info: withAgentToken(fresh, token) }, given: token };
    });
    await lock.release(set);
    return given;
  };

  return {
    ...agentNodes,
    lookup: async (context, lookup) => {
      const node = await orNothing(agentNodes.nodeOfLookup(context, lookup));
      return { node, token: hasToken(node) ? undefined : await giveToken(context, node) };
    },
    heartbeat: async (context, heartbeat) => {
      const { token, report } = heartbeat;
      const node = await orNothing(agentNodes.nodeOfHeartbeat(context, heartbeat));
      assertSame(node, report);
      const address = await callableAddress(node, heartbeat, agents);
      const lock = await takeFor(locks, context, node.uuid);
      const noted = (fresh: NodeRecord): Fields => {
        if (!isGenuine(fresh, token)) throw nothing();
        assertSame(fresh, report);
        const pinned = pinnedAddressOf(fresh) ?? address;
        return {
          driver_internal_info: withReport(fresh, report, { address: pinned, now: now() }),
        };
      };
      const set = await orRelease(lock, noted);
      if (!goesOn(lock.node(), report)) {
        await lock.release(set);
        return;
      }
      await orRelease(lock, () => lock.write(set));
      provision.goOn(lock);
    },
    continueInspection: async (context, claim, { inventory: found, pluginData }) => {
      const { uuid } = await orNothing(agentNodes.nodeOfFindings(context, claim));
      const lock = await takeFor(locks, context, uuid);
      const stored = async (node: NodeRecord): Promise<Fields> => {
        if (!bringsFindings(node, claim.token)) throw nothing();
        const document = { inventory: found, plugin_data: pluginData };
        await inventory.putDocument(lock.context(), uuid, 'inventory', { ...lock.proof, document });
        const set = { properties: propertiesWith(node, factsOf(found)) };
        return isBooted(node)
          ? inspectedFields(node, set, now())
          : doneFields(node, 'inspecting', { set }, now());
      };
      await endInspection(lock, stored, provision);
      return uuid;
    },
  };
}

/** Finds the nodes of agents; a caller is only trusted with its token, or from an allowed network. */
const createAgentNodes = ({
  inventory,
  lookup,
  isAgentNetwork,
}: AgentWorkOptions): Pick<AgentWork, 'nodeOfFindings' | 'nodeOfHeartbeat' | 'nodeOfLookup'> => ({
  nodeOfLookup: async (context, { named, from }) => {
    const isNear = from !== undefined && isAgentNetwork(from);
    const found = await lookup.find(context, named, AGENT_STATES);
    return onlyOne(found, (node) => isNear || hasPregeneratedToken(node));
  },
  nodeOfHeartbeat: async (context, { ident, token }) => {
    const node = await unlessRefused(() => inventory.getNode(context, ident));
    return isGenuine(node, token) ? node : undefined;
  },
  nodeOfFindings: async (context, { named, token }) => {
    const found = await lookup.find(context, named, [WAITS_FOR_FINDINGS]);
    return onlyOne(found, (node) => bringsFindings(node, token));
  },
});

/** Takes the lock with an error text of its own: that of the inventory names the owner of the lock, which an agent must not see. */
async function takeFor(locks: NodeLocks, context: CallContext, uuid: string): Promise<NodeLock> {
  try {
    return await locks.take(context, uuid);
  } catch (error) {
    if (error instanceof AppError && error.code === 'node_locked')
      throw new ConflictError('node_locked', 'The node is being worked on; please try again.');
    throw error instanceof AppError && error.status === 404 ? nothing() : error;
  }
}

function assertExpected(node: NodeRecord): void {
  if (!expectsAgent(node.provision_state)) throw nothing();
}

/** Whether no token is left to hand out: the boot brought one, or an earlier lookup got it. */
const hasToken = (node: NodeRecord): boolean => hasPregeneratedToken(node) || hasAgentToken(node);

async function orNothing(finding: Promise<NodeRecord | undefined>): Promise<NodeRecord> {
  const node = await finding;
  if (node === undefined) throw nothing();
  return node;
}

/** @throws BadRequestError when another agent than before reports */
function assertSame(node: NodeRecord, report: AgentReport): void {
  if (!isSameAgent(node, report))
    throw new BadRequestError('Detected change in ramdisk provided "callback_url".');
  if (!isSameCertificate(node, report))
    throw new BadRequestError('Detected change in ramdisk provided "agent_verify_ca".');
}

/**
 * The IP address to call the agent at: the one of its first report, or the one that is checked now.
 * @throws BadRequestError when it is not called there
 */
async function callableAddress(
  node: NodeRecord,
  { report, from }: Pick<AgentHeartbeat, 'report' | 'from'>,
  { addressFor }: AgentWorkOptions['agents'],
): Promise<string | undefined> {
  if (report.callback_url === '') return undefined;
  const address = pinnedAddressOf(node) ?? (await addressFor(report.callback_url, from));
  if (address === undefined)
    throw new BadRequestError('The "callback_url" is not an address of an agent.');
  return address;
}

function isGenuine(node: NodeRecord | undefined, token: string | undefined): node is NodeRecord {
  // Compared whatever else is wrong, so that every refusal takes as long.
  const matches = isAgentToken(node, token ?? '');
  return matches && node !== undefined && expectsAgent(node.provision_state);
}

const nothing = (): NotFoundError => new NotFoundError('Resource could not be found.');

/** True when the node waits for this agent to go on; an agent that cannot be called back only reports its presence. */
const goesOn = (node: NodeRecord, { callback_url: url }: AgentReport): boolean =>
  url !== '' &&
  busyStateOf(node.provision_state) !== undefined &&
  pendingProvisionOf(node)?.agent !== undefined;

const bringsFindings = (node: NodeRecord, token: string | undefined): boolean =>
  isGenuine(node, token) && node.provision_state === WAITS_FOR_FINDINGS;

/** True when the conductor booted the agent of the running work. */
const isBooted = (node: NodeRecord): boolean => pendingProvisionOf(node)?.agent !== undefined;

/** An agent that the conductor booted is taken off the machine before the inspection is over. */
async function endInspection(
  lock: NodeLock,
  stored: (node: NodeRecord) => Promise<Fields>,
  { resume }: Pick<ProvisionWork, 'resume'>,
): Promise<void> {
  const set = await orRelease(lock, stored);
  if (!isBooted(lock.node())) return lock.release(set);
  await orRelease(lock, () => lock.write(set));
  resume(lock);
}

/**
 * The only node that this agent may see, if there is exactly one. Other nodes are ignored, so that a response never reveals
 * whether another address belongs to a machine.
 */
function onlyOne(
  nodes: readonly NodeRecord[],
  mayKnow: (node: NodeRecord) => boolean,
): NodeRecord | undefined {
  const [node, ...others] = nodes.filter(mayKnow);
  return others.length === 0 ? node : undefined;
}
