import { type CallContext, type NodeRecord } from '@tenure/contracts';
import { newCallContext } from '@tenure/signed-context';
import { pendingChangeOf } from '../domain/node-change.js';
import { pendingOf, withoutPending } from '../domain/power.js';
import { pendingProvisionOf } from '../domain/provision/pending.js';
import { isBusyState } from '../domain/provision/states.js';
import { isRefused } from '../domain/refused.js';
import { eachNode } from './each-node.js';
import { type NodeChanges } from './node-changes.js';
import { type NodeLock } from './node-locks.js';
import { type PowerWork } from './power-work.js';
import { type ProvisionWork } from './provision-work.js';
import { type SharedParts } from './shared-parts.js';

export interface RecoveryOptions extends Pick<
  SharedParts,
  'inventory' | 'locks' | 'logger' | 'membership'
> {
  readonly power: PowerWork;
  readonly changes: NodeChanges;
  readonly provision: ProvisionWork;
  readonly holder: string;
}

/**
 * Finds orphaned reservations, that is, those without work: of this conductor, imported or left behind; and of dead
 * conductors, on nodes that this one is responsible for.
 */
export interface OrphanWatch {
  readonly round: () => Promise<void>;
}

/** Maximum milliseconds between two rounds: two rounds take half of a command's time, the command has the other half. */
export const ORPHAN_ROUND_MS = 30_000;

/**
 * Finds the nodes that this conductor reserved before it was restarted. Those with a target are resumed, the others released:
 * their synchronous request has ended. Throws when the inventory does not answer.
 */
export async function recover(options: RecoveryOptions): Promise<void> {
  const context = newCallContext('tenure:conductor:recover');
  const visit = async (node: NodeRecord): Promise<void> => {
    if (isOrphan(options, node)) await takeUp(options, options.locks.adopt(context, node));
  };
  await eachNode(options.inventory, context, visit, { reservedBy: options.holder });
}

/**
 * Recovers what two rounds in a row saw orphaned under the same lock: one page may be older than a release, or than work
 * that has just begun; and after an outage of the inventory, every conductor seems dead until its next heartbeat.
 * @param commandMs milliseconds that a resumed command is given
 */
export function createOrphanWatch(options: RecoveryOptions, commandMs: number): OrphanWatch {
  const { inventory, locks, membership, holder } = options;
  // Fences by uuid, of the last round.
  let before: ReadonlyMap<string, number> = new Map();
  return {
    round: async () => {
      const context = newCallContext('tenure:conductor:recover');
      const previous = before;
      before = new Map();
      const seen = new Map<string, number>();
      const isSeenAgain = (node: NodeRecord): boolean => {
        seen.set(node.uuid, node.fence);
        return previous.get(node.uuid) === node.fence;
      };
      const visitOwn = async (node: NodeRecord): Promise<void> => {
        if (!isOrphan(options, node) || !isSeenAgain(node)) return;
        await takeUp(options, locks.adopt(context, node), commandMs);
      };
      const visitLeft = async (node: NodeRecord): Promise<void> => {
        if (!isInherited(options, node) || !isSeenAgain(node)) return;
        const lock = await inherit(options, context, node);
        if (lock !== undefined) await takeUp(options, lock, commandMs);
      };
      // This conductor may now be responsible for nodes of one that died since the last heartbeat.
      await membership.refresh();
      await eachNode(inventory, context, visitOwn, { reservedBy: holder });
      await eachNode(inventory, context, visitLeft, { ofDeparted: true });
      before = seen;
    },
  };
}

const isOrphan = ({ holder, locks }: RecoveryOptions, node: NodeRecord): boolean =>
  node.reservation === holder && !locks.isLocked(node.uuid);

async function takeUp(
  { power, changes, provision, logger }: RecoveryOptions,
  lock: NodeLock,
  commandMs?: number,
): Promise<void> {
  const node = lock.node();
  const pending = pendingOf(node);
  const change = pendingChangeOf(node);
  logger.info(
    { node: node.uuid, target: pending?.target ?? null },
    'resuming a node that was left reserved',
  );
  const isBusy = isBusyState(node.provision_state);
  if (isBusy && pendingProvisionOf(node) !== undefined) provision.resume(lock);
  else if (pending !== undefined) power.resume(lock, pending, commandMs);
  else if (change !== undefined) changes.resume(lock, change);
  else if (isBusy) provision.resume(lock);
  else
    await lock.release(withoutOrder(node)).catch((error: unknown) => {
      logger.warn(
        { node: node.uuid, err: error },
        'a node left reserved could not be released yet',
      );
    });
}

/** The fields to release a node with when it has no order that can be carried out. */
const withoutOrder = (node: NodeRecord): Readonly<Record<string, unknown>> =>
  node.target_power_state === null
    ? {}
    : {
        target_power_state: null,
        last_error: `The power command '${node.target_power_state}' was interrupted.`,
        driver_internal_info: withoutPending(node),
      };

/** True for what a dead conductor left behind, of the nodes that fall to this one. */
const isInherited = ({ holder, locks, membership }: RecoveryOptions, node: NodeRecord): boolean =>
  node.reservation !== holder && !locks.isLocked(node.uuid) && membership.isMine(node);

/** Takes over the lock of an orphan; undefined when another conductor was faster, or the owner is alive again. */
async function inherit(
  { locks, logger }: RecoveryOptions,
  context: CallContext,
  node: NodeRecord,
): Promise<NodeLock | undefined> {
  const { uuid, reservation: from } = node;
  if (from === null) return undefined;
  try {
    const lock = await locks.takeOver(context, node, from);
    logger.warn({ node: uuid, from }, 'took over the lock of a dead conductor');
    return lock;
  } catch (error) {
    if (!isRefused(error)) throw error;
    logger.debug({ node: uuid, from, err: error }, 'the lock was not to be taken over');
    return undefined;
  }
}
