import { Type } from '@sinclair/typebox';
import { BadRequestError, type NodeRecord, parse } from '@tenure/contracts';
import { contextOf } from '@tenure/http';
import { type Request, Router } from 'express';
import { type Deadline, deadlineIn } from '../deadline.js';
import { toRouteError } from '../domain/driver-failure.js';
import {
  type BootDeviceChange,
  type DriverOf,
  type HardwareDriver,
} from '../ports/hardware-driver.js';
import { type InventoryPort } from '../ports/inventory-port.js';
import { behalfOf } from '../work/behalf.js';
import { type HeldLock, type NodeLocks } from '../work/node-locks.js';
import { nodeUuidOf } from './request-node.js';

const BootDeviceBody = Type.Object(
  {
    boot_device: Type.String({ minLength: 1, maxLength: 255 }),
    persistent: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);

export interface BootDeviceOptions {
  readonly inventory: InventoryPort;
  readonly locks: NodeLocks;
  readonly driverOf: DriverOf;
  /** Milliseconds that the hardware is given; the caller waits for it. */
  readonly answerMs?: number;
}

const ANSWER_MS = 7000;

type Ask<T> = (driver: HardwareDriver, node: NodeRecord, deadline: Deadline) => Promise<T>;

const setUnderLock = async (
  lock: HeldLock,
  driverOf: DriverOf,
  change: BootDeviceChange,
  deadline: Deadline,
): Promise<void> => {
  const node = lock.node();
  let internal: Readonly<Record<string, unknown>>;
  try {
    const driver = driverOf(node);
    await driver.validate(node);
    if (!(await driver.supportedBootDevices(node, deadline)).includes(change.device))
      throw new BadRequestError(`Invalid boot device ${change.device} specified.`);
    internal = await driver.setBootDevice(node, change, deadline);
  } catch (error) {
    await lock.release({}).catch(() => undefined);
    throw toRouteError(error);
  }
  await lock.release({ driver_internal_info: { ...node.driver_internal_info, ...internal } });
};

/** `GET`, `PUT /v1/nodes/{ident}/management/boot_device` and `GET …/supported`. */
export const bootDeviceRouter = ({
  inventory,
  locks,
  driverOf,
  answerMs = ANSWER_MS,
}: BootDeviceOptions): Router => {
  const router = Router({ caseSensitive: true });
  const asked = async <T>(request: Request, ask: Ask<T>): Promise<T> => {
    const claims = contextOf(request);
    const node = await inventory.getNode(behalfOf(claims), nodeUuidOf(claims));
    try {
      return await ask(driverOf(node), node, deadlineIn(answerMs));
    } catch (error) {
      throw toRouteError(error);
    }
  };
  router.get('/v1/nodes/:ident/management/boot_device', async (request, response) => {
    response.json(
      await asked(request, (driver, node, deadline) => driver.getBootDevice(node, deadline)),
    );
  });
  router.get('/v1/nodes/:ident/management/boot_device/supported', async (request, response) => {
    response.json({
      supported_boot_devices: await asked(request, (driver, node, deadline) =>
        driver.supportedBootDevices(node, deadline),
      ),
    });
  });
  router.put('/v1/nodes/:ident/management/boot_device', async (request, response) => {
    const claims = contextOf(request);
    const { boot_device: device, persistent = false } = parse(
      BootDeviceBody,
      request.body,
      'boot_device',
    );
    const lock = await locks.take(behalfOf(claims), nodeUuidOf(claims));
    await setUnderLock(lock, driverOf, { device, persistent }, deadlineIn(answerMs));
    response.status(204).end();
  });
  return router;
};
