import { isDeepStrictEqual } from 'node:util';
import {
  fieldOf,
  NODE_FIELDS,
  nodeField,
  type NodeRecord,
  withoutSecrets,
} from '@tenure/contracts';

type Values = Readonly<Record<string, unknown>>;

/** Fields that identify the machine and its tenancy, and are no tenant's values. */
const IDENTITY_FIELDS: ReadonlySet<string> = new Set(['owner', 'lessee', 'uuid']);

/** Fields that have routes of their own, or follow from another. */
const BY_OTHER_ROUTES = ['traits', 'maintenance_reason', 'target_raid_config'] as const;

/** Everything that a caller may write on a node. */
export const CALLER_FIELDS: readonly string[] = [
  ...NODE_FIELDS.filter(({ name, writable }) => writable && !IDENTITY_FIELDS.has(name)).map(
    ({ name }) => name,
  ),
  ...BY_OTHER_ROUTES,
];

/** Written for the tenant by services, too. */
const INSTANCE_FIELDS = ['instance_info', 'instance_name', 'instance_uuid'] as const;

/** Values of an owner that are removed for a new owner. */
const OWNER_FIELDS = ['instance_info', 'extra', 'description', 'network_data'] as const;

/** A node without the values of its former tenant, and those values. */
export interface ClearedNode {
  readonly node: NodeRecord;
  /** Fields that got their former value back. */
  readonly fields: readonly string[];
  readonly sealed: Values;
}

const LEFT_IN_MAINTENANCE = 'Set by a former tenant.';

const AUTOMATIC_LESSEE = 'automatic_lessee';
/** Settings of the hardware as they were before the tenant changed them; a conductor writes them. */
const HARDWARE_BEFORE = 'custody_before';

/**
 * The values of the fields before the present tenant changed them, including the fields that this write changes.
 * @param byTenant whether the write is made in the name of the lessee
 */
export function remembered(
  before: NodeRecord,
  after: NodeRecord,
  byTenant: boolean,
): Values | undefined {
  const former = formerValues(before);
  // A cleanup after the tenancy before is no change by the present tenant.
  const byOthers = typeof before.handover_uuid === 'string' ? [] : INSTANCE_FIELDS;
  const fresh = (byTenant ? CALLER_FIELDS : byOthers).filter(
    (field) => !Object.hasOwn(former, field) && differs(before, after, field),
  );
  if (fresh.length === 0) return undefined;
  return {
    ...former,
    ...Object.fromEntries(fresh.map((field) => [field, fieldOf(before, field) ?? null])),
  };
}

/**
 * The values to restore when the tenant leaves, after a write of the owner or the system to fields that the tenant had
 * changed: the new values, and not the older ones. Instance fields are the tenant's, whoever writes them.
 * @param added including what this write adds, as `remembered` returns it
 */
export function withOverwrittenValues(
  before: NodeRecord,
  after: NodeRecord,
  added: Values | undefined,
): Values | undefined {
  const former = added ?? formerValues(before);
  const overwritten = Object.keys(former).filter(
    (field) =>
      !(INSTANCE_FIELDS as readonly string[]).includes(field) && differs(before, after, field),
  );
  if (overwritten.length === 0) return added;
  const values = overwritten.map((field): [string, unknown] => [
    field,
    renewed(former[field], fieldOf(before, field) ?? null, fieldOf(after, field) ?? null),
  ]);
  return { ...former, ...Object.fromEntries(values) };
}

/** The node of a new tenant: no settings of former tenancies are restored when the tenant leaves. */
export const withNewTenant = (node: NodeRecord): NodeRecord =>
  withoutMarks(node, [HARDWARE_BEFORE]);

/**
 * Removes the lessee's values: each field that it changed gets the value back that it had before. Values that the same
 * write sets stay.
 * @param before as it was, with the lessee's values
 * @param after as it is to be written
 */
export function withoutLesseeValues(before: NodeRecord, after: NodeRecord): ClearedNode {
  const former = formerValues(before);
  const names = Object.keys(former).filter(
    (field) => !isDeepStrictEqual(fieldOf(before, field) ?? null, former[field]),
  );
  const fields = names.filter((field) => !differs(before, after, field));
  const restored = fields.map((field): [string, unknown] => [
    field,
    // An allocation and its instance go together.
    field === 'instance_uuid' && after.allocation_uuid !== null ? after[field] : former[field],
  ]);
  const put = { ...after, ...Object.fromEntries(restored) };
  const safe = fields.includes('maintenance') ? withFormerMaintenance(before, put) : put;
  return {
    node: withoutMarks(withoutProject(safe), [AUTOMATIC_LESSEE]),
    fields,
    sealed: sealedOf(before, names),
  };
}

/** As `withoutLesseeValues`, for an owner: its fields get their initial values. */
export function withoutOwnerValues(before: NodeRecord, after: NodeRecord): ClearedNode {
  const { node, fields, sealed } = withoutLesseeValues(before, after);
  const stale = OWNER_FIELDS.filter((field) => !differs(before, after, field));
  const emptied = Object.fromEntries(
    stale.map((field) => [field, nodeField(field)?.initial ?? null]),
  );
  return {
    // An error message may reveal what the former owner had deployed.
    node: { ...node, ...emptied, last_error: null },
    fields: fields.filter((field) => !(OWNER_FIELDS as readonly string[]).includes(field)),
    sealed: { ...sealedOf(before, OWNER_FIELDS), ...sealed },
  };
}

/** The values of a tenant on a node that keeps them for now. */
export const tenantValuesOf = (node: NodeRecord): Values =>
  sealedOf(node, [...new Set([...INSTANCE_FIELDS, ...Object.keys(node.custody?.before ?? {})])]);

/**
 * The values of the fields before the present tenant changed them. A tenancy that began without such a record, such as
 * an imported one, is taken to have written `instance_info`.
 */
const formerValues = ({ custody }: NodeRecord): Values => custody?.before ?? { instance_info: {} };

const differs = (left: NodeRecord, right: NodeRecord, field: string): boolean =>
  !isDeepStrictEqual(fieldOf(left, field) ?? null, fieldOf(right, field) ?? null);

/** The value before the tenant, with the later changes of others: member by member, if it is an object. */
function renewed(former: unknown, before: unknown, after: unknown): unknown {
  if (!isMembers(former) || !isMembers(before) || !isMembers(after)) return after;
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = new Set(
    [...names].filter((name) => !isDeepStrictEqual(before[name], after[name])),
  );
  const isChanged = ([name]: readonly [string, unknown]): boolean => changed.has(name);
  const kept = Object.entries(former).filter((entry) => !isChanged(entry));
  return Object.fromEntries([...kept, ...Object.entries(after).filter(isChanged)]);
}

const isMembers = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `driver_internal_info` without what is kept there for one tenancy. */
const withoutMarks = (node: NodeRecord, marks: readonly string[]): NodeRecord =>
  marks.some((mark) => mark in node.driver_internal_info)
    ? {
        ...node,
        driver_internal_info: Object.fromEntries(
          Object.entries(node.driver_internal_info).filter(([name]) => !marks.includes(name)),
        ),
      }
    : node;

/** A machine that its tenant set to maintenance stays in maintenance, so that its next user inspects it first. */
const withFormerMaintenance = (before: NodeRecord, after: NodeRecord): NodeRecord =>
  before.maintenance && !after.maintenance
    ? { ...after, maintenance: true, maintenance_reason: LEFT_IN_MAINTENANCE }
    : after;

/** Removes the project of another tenancy's instance, so that it does not become the lessee. */
function withoutProject(node: NodeRecord): NodeRecord {
  const info = Object.entries(node.instance_info);
  const kept = info.filter(([name]) => name !== 'project_id');
  return { ...node, instance_info: Object.fromEntries(kept) };
}

const sealedOf = (node: NodeRecord, fields: readonly string[]): Values =>
  Object.fromEntries(
    fields.map((field) => [field, withoutSecrets(field, fieldOf(node, field) ?? null)]),
  );
