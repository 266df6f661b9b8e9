import { type NodeRecord } from '@tenure/contracts';
import { aNode } from '@tenure/testing';
import { type StubBmc } from './stub-bmc.js';

/** A redfish node whose BMC is the stub. */
export const aRedfishNode = (
  bmc: StubBmc,
  info: Readonly<Record<string, unknown>> = {},
  fields: Partial<NodeRecord> = {},
): NodeRecord =>
  aNode({
    driver: 'redfish',
    driver_info: { ...bmc.driverInfo, ...info },
    ...fields,
  });
