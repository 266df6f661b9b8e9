import { randomUUID } from 'node:crypto';
import { NODE_FIELDS, type NodeRecord } from '@tenure/contracts';
import { type StubBmc } from './stub-bmc.js';

// every field as it is when nothing was set; what is never null is set below
const UNTOUCHED = Object.fromEntries(
  NODE_FIELDS.map(({ name, initial }) => [name, initial]),
) as unknown as NodeRecord;

/** A node that is powered off, unlocked and of `fake-hardware`, unless said otherwise. */
export const aNode = (fields: Partial<NodeRecord> = {}): NodeRecord => ({
  ...UNTOUCHED,
  uuid: randomUUID(),
  name: null,
  owner: 'project-a',
  lessee: null,
  driver: 'fake-hardware',
  driver_info: {},
  driver_internal_info: {},
  instance_info: {},
  properties: {},
  instance_uuid: null,
  allocation_uuid: null,
  maintenance: false,
  maintenance_reason: null,
  fault: null,
  power_state: 'power off',
  target_power_state: null,
  provision_state: 'available',
  target_provision_state: null,
  provision_updated_at: null,
  last_error: null,
  reservation: null,
  resource_class: null,
  traits: [],
  created_at: '2026-11-21T06:00:00Z',
  updated_at: null,
  revision: 1,
  tenancy_revision: 1,
  fence: 0,
  ...fields,
});

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
