import { CHANGE, NODE_FIELDS, type NodeRecord, timestampOf } from '@tenure/contracts';

export type NodeValues = Readonly<Record<string, unknown>>;

/**
 * The state in which a node begins.
 * @param minor the microversion that its creator speaks
 */
export const firstState = (minor: number): string =>
  minor < CHANGE.enrolState.minor ? 'available' : 'enroll';

/**
 * A whole record from some of its fields.
 * @param epoch first value of every number that binds a decision or a lock to this record
 */
export function newNode(values: NodeValues, epoch: number): NodeRecord {
  const initial = Object.fromEntries(NODE_FIELDS.map((field) => [field.name, field.initial]));
  // the catalogue gives every field of a NodeRecord its initial value; the callers check the values' types
  return {
    ...initial,
    lease_uuid: null,
    lease_end: null,
    lessee_until: null,
    handover_uuid: null,
    custody: {},
    ...values,
    revision: epoch,
    tenancy_revision: epoch,
    fence: epoch,
  } as unknown as NodeRecord;
}

/** Whether a node is owned or leased by another than before. */
export const tenancyDiffers = (before: NodeRecord, after: NodeRecord): boolean =>
  before.owner !== after.owner || before.lessee !== after.lessee;

/** The next version of a record: its revision grows, and its tenancy revision when owner or lessee changed. */
export const nextVersion = (before: NodeRecord, changed: NodeRecord, now: Date): NodeRecord => ({
  ...changed,
  updated_at: timestampOf(now),
  revision: before.revision + 1,
  tenancy_revision: before.tenancy_revision + (tenancyDiffers(before, changed) ? 1 : 0),
});

/** The record that replaces another on import: the numbers that bind decisions and locks to it never decrease. */
export function importedVersion(
  before: NodeRecord | undefined,
  incoming: NodeRecord,
  epoch: number,
): NodeRecord {
  if (before === undefined)
    return { ...incoming, revision: epoch, tenancy_revision: epoch, fence: epoch };
  // Leases are a section of their own; the lease members of a node in a document are ignored.
  const { lease_uuid = null, lease_end = null, lessee_until = null } = before;
  // A document does not change the custody members of a node that exists here.
  const { handover_uuid = null, custody = {}, charged_to = null } = before;
  return {
    ...incoming,
    lease_uuid,
    lease_end,
    lessee_until,
    handover_uuid,
    custody,
    charged_to,
    revision: before.revision + 1,
    tenancy_revision: before.tenancy_revision + (tenancyDiffers(before, incoming) ? 1 : 0),
    fence: before.fence,
  };
}
