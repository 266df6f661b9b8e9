import { type ContextClaims, nodeInHandover, type NodeRecord } from '@tenure/contracts';
import { contextOf } from '@tenure/http';
import { deadlineIn, type Deadline } from '@tenure/process';
import { callContextOf } from '@tenure/signed-context';
import { type Request } from 'express';
import { type NodeLocks } from '../application/node-locks.js';
import { finishUnderLock } from '../application/under-lock.js';
import { toRouteError } from '../domain/driver-failure.js';
import { type HardwareBefore, isTenants, withHardwareBefore } from '../domain/hardware-before.js';
import { type HardwareDriver, type DriverOf } from '../ports/hardware-driver.js';
import { type InventoryPort } from '../ports/inventory-port.js';
import { nodeUuidOf } from './request-node.js';

/** What a synchronous route about one node works with. */
export interface NodeRouteOptions {
  readonly inventory: InventoryPort;
  readonly locks: NodeLocks;
  readonly driverOf: DriverOf;
  /** Milliseconds that the hardware is given; the caller waits for it. */
  readonly answerMs?: number;
}

const ANSWER_MS = 7000;

type Ask<T> = (driver: HardwareDriver, node: NodeRecord, deadline: Deadline) => Promise<T>;
type Fields = Readonly<Record<string, unknown>>;

/**
 * What only a lock would be refused for otherwise: who may not use a machine that is being handed over is not told either
 * what its former tenant left on it.
 * @throws ConflictError `node_in_handover`
 */
const assertServes = (
  { uuid, handover_uuid: handover = null }: NodeRecord,
  { obligations }: Pick<ContextClaims, 'obligations'>,
): void => {
  const { conditions = [] } = obligations;
  const heeds = conditions.some(({ field, op }) => field === 'handover_uuid' && op === 'null');
  if (heeds && handover !== null) throw nodeInHandover(uuid);
};

/** Asks the hardware of the request's node, without its lock. Throws AppError. */
export const askNode = async <T>(
  { inventory, driverOf, answerMs = ANSWER_MS }: NodeRouteOptions,
  request: Request,
  ask: Ask<T>,
): Promise<T> => {
  const claims = contextOf(request);
  const context = callContextOf(claims);
  const node = await inventory.getNode(context, nodeUuidOf(claims));
  assertServes(node, claims);
  try {
    return await ask(driverOf(node), node, deadlineIn(answerMs));
  } catch (error) {
    throw toRouteError(error);
  }
};

/**
 * Does something to the request's node under its lock, and writes what `change` returns. The settings of the node are
 * checked first. Throws AppError.
 * @param before reads what is changed, as it is; of a tenant it is written down first, so that it can be put back
 */
export const changeNode = async <T extends { readonly set: Fields }>(
  { locks, driverOf, answerMs = ANSWER_MS }: NodeRouteOptions,
  request: Request,
  change: Ask<T>,
  before?: Ask<HardwareBefore>,
): Promise<T> => {
  const claims = contextOf(request);
  const lock = await locks.take(callContextOf(claims), nodeUuidOf(claims));
  const deadline = deadlineIn(answerMs);
  return finishUnderLock(lock, async (node) => {
    const driver = driverOf(node);
    await driver.validate(node);
    if (before !== undefined && isTenants(node, claims)) {
      const known = withHardwareBefore(node, await before(driver, node, deadline));
      await lock.write({ driver_internal_info: known });
    }
    return change(driver, lock.node(), deadline);
  });
};
