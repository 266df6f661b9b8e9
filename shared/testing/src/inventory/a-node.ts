import { randomUUID } from 'node:crypto';
import { NODE_FIELDS, type NodeRecord } from '@tenure/contracts';

// every field as it is when nothing was set; what is never null is set below
const UNTOUCHED = Object.fromEntries(
  NODE_FIELDS.map(({ name, initial }) => [name, initial]),
) as unknown as NodeRecord;

/** An available node of `fake-hardware` that is powered off and unlocked, unless said otherwise. */
export const aNode = (fields: Partial<NodeRecord> = {}): NodeRecord => ({
  ...UNTOUCHED,
  uuid: randomUUID(),
  owner: 'project-a',
  driver: 'fake-hardware',
  power_state: 'power off',
  provision_state: 'available',
  created_at: '2026-11-21T06:00:00Z',
  revision: 1,
  tenancy_revision: 1,
  fence: 0,
  ...fields,
});
