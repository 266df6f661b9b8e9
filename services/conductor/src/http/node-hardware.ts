import { type ContextClaims, nodeInHandover, type NodeRecord } from '@tenure/contracts';
import { deadlineIn, type Deadline } from '@tenure/process';
import { type Request, Router } from 'express';
import { type NodeLocks } from '../application/node-locks.js';
import { finishUnderLock, withInternal } from '../application/under-lock.js';
import { toRouteError } from '../domain/driver-failure.js';
import { type HardwareBefore, isTenants, withHardwareBefore } from '../domain/hardware-before.js';
import { type Fields } from '../domain/members.js';
import { type HardwareDriver, type DriverOf } from '../ports/hardware-driver.js';
import { type InventoryPort } from '../ports/inventory-port.js';
import { nodeRequestOf } from './request-node.js';

/** The dependencies of a synchronous route about one node. */
export interface NodeRouteOptions {
  readonly inventory: InventoryPort;
  readonly locks: NodeLocks;
  readonly driverOf: DriverOf;
  /** Milliseconds that the hardware is given; the caller waits for it. */
  readonly answerMs?: number;
}

const ANSWER_MS = 7000;

/** A node, the driver of its hardware, and until when that may answer. */
export interface Hardware {
  readonly driver: HardwareDriver;
  readonly node: NodeRecord;
  readonly deadline: Deadline;
}

type Ask<T> = (hardware: Hardware) => Promise<T>;

/** A route about the hardware of one node, which answers once the hardware has. */
export type HardwareRoute = (router: Router, options: NodeRouteOptions) => void;

/** Asks the hardware of the request's node, without its lock. Throws AppError. */
export async function askNode<T>(
  { inventory, driverOf, answerMs = ANSWER_MS }: NodeRouteOptions,
  request: Request,
  ask: Ask<T>,
): Promise<T> {
  const { claims, context, uuid } = nodeRequestOf(request);
  const node = await inventory.getNode(context, uuid);
  assertServes(node, claims);
  try {
    return await ask({ driver: driverOf(node), node, deadline: deadlineIn(answerMs) });
  } catch (error) {
    throw toRouteError(error);
  }
}

/**
 * Changes the request's node under its lock, and writes the fields that `change` returns. The settings of the node are
 * checked first. Throws AppError.
 * @param before reads the current value of the setting; it is recorded when a tenant changes it, so that it can be restored
 */
export async function changeNode<T extends { readonly set: Fields }>(
  { locks, driverOf, answerMs = ANSWER_MS }: NodeRouteOptions,
  request: Request,
  change: Ask<T>,
  before?: Ask<HardwareBefore>,
): Promise<T> {
  const { claims, context, uuid } = nodeRequestOf(request);
  const lock = await locks.take(context, uuid);
  const deadline = deadlineIn(answerMs);
  return finishUnderLock(lock, async (node) => {
    const driver = driverOf(node);
    await driver.validate(node);
    if (before !== undefined && isTenants(node, claims)) {
      const internal = withHardwareBefore(node, await before({ driver, node, deadline }));
      await lock.write({ driver_internal_info: internal });
    }
    return change({ driver, node: lock.node(), deadline });
  });
}

/** `GET` of a value that is read from the hardware: 200. */
export const reading =
  (path: string, read: (hardware: Hardware, request: Request) => Promise<unknown>): HardwareRoute =>
  (router, options) => {
    router.get(pathOf(path), async (request, response) => {
      response.json(await askNode(options, request, (hardware) => read(hardware, request)));
    });
  };

/**
 * A change of the hardware under the node's lock, read back before it is answered: 204.
 * @param method and path, for example `put management/boot_device`
 * @param changeOf checks the request, and returns what to do; it resolves with members of `driver_internal_info` to write
 * @param before see `changeNode`
 */
export const changing =
  (
    [method, path]: readonly ['put' | 'post' | 'delete', string],
    changeOf: (request: Request) => Ask<Fields>,
    before?: Ask<HardwareBefore>,
  ): HardwareRoute =>
  (router, options) => {
    router[method](pathOf(path), async (request, response) => {
      const change = changeOf(request);
      const changed = async (hardware: Hardware) => ({
        set: withInternal(hardware.node, await change(hardware)),
      });
      await changeNode(options, request, changed, before);
      response.status(204).end();
    });
  };

export function hardwareRouter(
  options: NodeRouteOptions,
  routes: readonly HardwareRoute[],
): Router {
  const router = Router({ caseSensitive: true });
  for (const mount of routes) mount(router, options);
  return router;
}

/**
 * Only a lock is refused during a handover. A caller who may not use the machine then may not read either what its former
 * tenant left on it.
 * @throws ConflictError `node_in_handover`
 */
function assertServes(
  { uuid, handover_uuid: handover = null }: NodeRecord,
  { obligations }: Pick<ContextClaims, 'obligations'>,
): void {
  const { conditions = [] } = obligations;
  const heeds = conditions.some(({ field, op }) => field === 'handover_uuid' && op === 'null');
  if (heeds && handover !== null) throw nodeInHandover(uuid);
}

const pathOf = (path: string): string => `/v1/nodes/:ident/${path}`;
