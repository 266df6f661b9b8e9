import { isDeepStrictEqual } from 'node:util';
import {
  fieldOf,
  NODE_FIELDS,
  nodeField,
  type NodeRecord,
  withoutSecrets,
} from '@tenure/contracts';

type Values = Readonly<Record<string, unknown>>;

/** Whose machine it is, and its identity, are nobody's words. */
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

/** What an owner wrote, and a new owner has no use for. */
const OWNER_FIELDS = ['instance_info', 'extra', 'description', 'network_data'] as const;

/** A node without the words of the tenant that it had, and what those words were. */
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
 * What the node was before its present tenant changed it, with what this write changes.
 * @param byTenant whether the write is made in the name of the lessee
 */
export function remembered(
  before: NodeRecord,
  after: NodeRecord,
  byTenant: boolean,
): Values | undefined {
  const former = formerValues(before);
  // What is cleared away of the tenancy before is not the present tenant's to get back.
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
 * What is to come back when the tenant goes, after a write of the owner or the system on top of what the tenant had changed:
 * their value, and not the older one. What is deployed is written for the tenant, whoever writes it.
 * @param added with what this write adds, as `remembered` gives it
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

/** The node of a tenant that has just got it: nothing of the time before is put back when it goes. */
export const withNewTenant = (node: NodeRecord): NodeRecord =>
  withoutMarks(node, [HARDWARE_BEFORE]);

/**
 * Takes away what the lessee wrote: each field that it changed gets the value back that it had before. What the same write
 * sets itself stays.
 * @param before as it was, with the words
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
  const safe = fields.includes('maintenance') ? onTheSafeSide(before, put) : put;
  return {
    node: withoutMarks(withoutProject(safe), [AUTOMATIC_LESSEE]),
    fields,
    sealed: sealedOf(before, names),
  };
}

/** As `withoutLesseesWords`, for an owner: what it wrote is initial again. */
export function withoutOwnerValues(before: NodeRecord, after: NodeRecord): ClearedNode {
  const { node, fields, sealed } = withoutLesseeValues(before, after);
  const stale = OWNER_FIELDS.filter((field) => !differs(before, after, field));
  const emptied = Object.fromEntries(
    stale.map((field) => [field, nodeField(field)?.initial ?? null]),
  );
  return {
    // What went wrong may tell of what the old owner had deployed.
    node: { ...node, ...emptied, last_error: null },
    fields: fields.filter((field) => !(OWNER_FIELDS as readonly string[]).includes(field)),
    sealed: { ...sealedOf(before, OWNER_FIELDS), ...sealed },
  };
}

/** What a tenant wrote, of a node that keeps it for now. */
export const tenantValuesOf = (node: NodeRecord): Values =>
  sealedOf(node, [...new Set([...INSTANCE_FIELDS, ...Object.keys(node.custody?.before ?? {})])]);

/**
 * What the node was before its present tenant changed it. Of a tenancy that began before anybody kept that, such as an
 * imported one, nobody knows who wrote what is to be deployed: it is taken for the tenant's.
 */
const formerValues = ({ custody }: NodeRecord): Values => custody?.before ?? { instance_info: {} };

const differs = (left: NodeRecord, right: NodeRecord, field: string): boolean =>
  !isDeepStrictEqual(fieldOf(left, field) ?? null, fieldOf(right, field) ?? null);

/** What was there before the tenant, with what another has changed since: member by member, where there are members. */
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

/** A machine that its tenant took out of service stays so: whoever has it next looks at it first. */
const onTheSafeSide = (before: NodeRecord, after: NodeRecord): NodeRecord =>
  before.maintenance && !after.maintenance
    ? { ...after, maintenance: true, maintenance_reason: LEFT_IN_MAINTENANCE }
    : after;

/** Nobody becomes lessee by what another tenancy wrote. */
function withoutProject(node: NodeRecord): NodeRecord {
  const info = Object.entries(node.instance_info);
  const kept = info.filter(([name]) => name !== 'project_id');
  return { ...node, instance_info: Object.fromEntries(kept) };
}

const sealedOf = (node: NodeRecord, fields: readonly string[]): Values =>
  Object.fromEntries(
    fields.map((field) => [field, withoutSecrets(field, fieldOf(node, field) ?? null)]),
  );
