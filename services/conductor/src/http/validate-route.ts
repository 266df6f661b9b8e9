import { type NodeRecord } from '@tenure/contracts';
import { Router } from 'express';
import { isSwitchedOff } from '../application/capability.js';
import { type HardwareDocuments } from '../application/hardware-documents.js';
import { safeReason } from '../domain/driver-failure.js';
import { type InterfaceResult, validationOf } from '../domain/interfaces.js';
import { type DriverOf } from '../ports/hardware-driver.js';
import { type InventoryPort } from '../ports/inventory-port.js';
import { nodeRequestOf } from './request-node.js';

export interface ValidateOptions {
  readonly inventory: InventoryPort;
  readonly driverOf: DriverOf;
  readonly documents: HardwareDocuments;
}

/** `GET /v1/nodes/{ident}/validate` and `GET /v1/nodes/validate?node=`: the missing settings of each interface; a reason never contains secrets. */
export function validateRouter({ inventory, driverOf, documents }: ValidateOptions): Router {
  const router = Router({ caseSensitive: true });
  router.get(['/v1/nodes/validate', '/v1/nodes/:ident/validate'], async (request, response) => {
    const { context, uuid } = nodeRequestOf(request);
    const node = await inventory.getNode(context, uuid);
    const results = await validationFor(driverOf, node);
    // The node is in use and its settings are valid: its documents are read now, in the background.
    if (results['power']?.result === true) documents.storeMissing(node);
    response.json(results);
  });
  return router;
}

async function validationFor(
  driverOf: DriverOf,
  node: NodeRecord,
): Promise<Readonly<Record<string, InterfaceResult>>> {
  const driver = driverOf(node);
  const { fromSettings, always } = driver.interfaces;
  const used = fromSettings.filter((name) => !isSwitchedOff(driver, node, name));
  const problem = await problemOf(() => driver.validate(node));
  const results = validationOf({ fromSettings: used, always }, problem);
  const { check } = driver.provisioning;
  if (check === undefined || results['power']?.result !== true) return results;
  // A reason to refuse a deployment is reported for the `deploy` interface.
  const lacking = await problemOf(async () => {
    await Promise.resolve();
    check(node, 'deploying');
  });
  const deploy = lacking === undefined ? { result: true } : { result: false, reason: lacking };
  return { ...results, deploy };
}

async function problemOf(check: () => Promise<void>): Promise<string | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    return safeReason(error);
  }
}
