import {
  ATTACHED_VIF,
  attachedVifOf,
  BadRequestError,
  isOutsideId,
  matches,
  NODE_FIELDS,
  NODE_LINK_MEMBERS,
  type NodeRecord,
  timestampOf,
} from '@tenure/contracts';
import { defaultInterfaces } from './driver-interfaces.js';
import { claimKey, type ClaimKind, externalResource } from './external-resources.js';
import { uuidIn } from './field-values.js';
import { CUSTODY, Links, Name, PLAIN, type PlainSection } from './import-schemas.js';
import { NODE } from './kinds/node.js';
import { type ResourceKind } from './kinds/resource-kind.js';
import { newNode } from './node-record.js';
import { initialValues } from './resource-values.js';

export type Row = Readonly<Record<string, unknown>>;

const NODE_NAMES: ReadonlySet<string> = new Set(NODE_FIELDS.map(({ name }) => name));

/** The values of a row, without its links. */
export interface ImportedRow {
  readonly uuid: string;
  readonly [field: string]: unknown;
}

// In an export: the tenant that attached the record, and the account that pays for it.
const PROJECTS: ReadonlySet<string> = new Set(['tenant', 'charged_to']);

/**
 * A node of an inventory document as a whole record; its numbers are set when it is stored.
 * @throws BadRequestError naming row and field
 */
export function importedNode(row: Row, index: number, now: Date): NodeRecord {
  const at = place('nodes', row, index);
  const values = nodeValues(row, at);
  if (uuidIn(values['uuid']) === undefined) throw refuse(at, 'uuid', 'must be a UUID');
  const { driver } = values;
  if (typeof driver !== 'string') throw refuse(at, 'driver', 'is missing');
  const created_at = values['created_at'] ?? timestampOf(now);
  return newNode({ ...defaultInterfaces(driver), ...values, created_at, conductor: null }, 0);
}

/**
 * A row of a section that no catalogue describes, checked.
 * @throws BadRequestError naming row and field
 */
export function importedRow(section: PlainSection, row: Row, index: number): ImportedRow {
  const at = place(section, row, index);
  const { schemas, required } = PLAIN[section];
  const members = Object.entries(row).filter(([field, value]) => {
    const schema = Object.hasOwn(schemas, field) ? schemas[field] : undefined;
    if (schema === undefined) throw refuse(at, field, `is not a field of ${section}`);
    if (!matches(schema, value)) throw refuse(at, field, 'has a value that is not valid');
    return schema !== Links;
  });
  if (section === 'allocations') assertUuid(at, row);
  const lacking = required.find((field) => !Object.hasOwn(row, field));
  if (lacking !== undefined) throw refuse(at, lacking, 'is missing');
  const uuid = String(row['uuid']);
  if (section === 'claims') return importedClaim(at, row);
  return { ...Object.fromEntries(members), uuid: uuidIn(uuid) ?? uuid };
}

/**
 * A row of a kind with a catalogue as a whole record, checked; its revision is set when it is stored.
 * @throws BadRequestError naming row and field
 */
export function importedResource(
  kind: ResourceKind,
  row: Row,
  index: number,
  now: Date,
): ImportedRow {
  const at = place(kind.section, row, index);
  const values = Object.entries(row)
    .filter(([name]) => !Object.hasOwn(kind.catalogue.linkMembers, name))
    .map(([name, value]): [string, unknown] => [name, resourceValue(at, kind, name, value)]);
  const record: Row = { ...initialValues(kind), ...Object.fromEntries(values) };
  const uuid = uuidIn(record['uuid']);
  if (uuid === undefined) throw refuse(at, 'uuid', 'must be a UUID');
  try {
    kind.assertWhole(record);
  } catch (error) {
    if (error instanceof BadRequestError) throw new BadRequestError(`${at}: ${error.message}`);
    throw error;
  }
  if (kind.onNode && record['node_uuid'] === null) throw refuse(at, 'node_uuid', 'is missing');
  return {
    ...withCanonicalVif(at, record),
    uuid,
    created_at: record['created_at'] ?? timestampOf(now),
  };
}

const place = (section: string, row: Row, index: number): string =>
  `${section}[${String(index)}]${typeof row['uuid'] === 'string' ? ` (${row['uuid'].slice(0, 64)})` : ''}`;

const nodeValues = (row: Row, at: string): Row =>
  Object.fromEntries(
    Object.entries(row).flatMap(([field, value]) => {
      if (Object.hasOwn(NODE_LINK_MEMBERS, field)) return [];
      const schema = Object.hasOwn(CUSTODY, field) ? CUSTODY[field] : undefined;
      if (schema !== undefined) {
        if (!matches(schema, value)) throw refuse(at, field, 'has a value that is not valid');
        return [[field, value]];
      }
      if (!NODE_NAMES.has(field)) throw refuse(at, field, 'is not a field of a node');
      return [[field, nodeValue(at, field, value)]];
    }),
  );

const refuse = (at: string, field: string, why: string): BadRequestError =>
  new BadRequestError(`${at}: field '${field.slice(0, 64)}' ${why}`);

function nodeValue(at: string, field: string, value: unknown): unknown {
  try {
    return NODE.checkedValue(field, value);
  } catch (error) {
    if (error instanceof BadRequestError) throw refuse(at, field, 'has a value that is not valid');
    throw error;
  }
}

function assertUuid(at: string, row: Row): void {
  if (uuidIn(row['uuid']) === undefined) throw refuse(at, 'uuid', 'must be a UUID');
}

function importedClaim(at: string, row: Row): ImportedRow {
  const { kind, id } = row as { readonly kind: ClaimKind; readonly id: string }; // of the schema
  if (row['uuid'] !== `${kind}:${id}`) throw refuse(at, 'uuid', 'must be made of kind and id');
  const resource = externalResource(kind, id);
  return { ...row, ...resource, uuid: claimKey(resource) };
}

function resourceValue(
  at: string,
  { catalogue, section, checkedValue: checked }: ResourceKind,
  name: string,
  value: unknown,
): unknown {
  if (PROJECTS.has(name) && (value === null || matches(Name, value))) return value;
  const field = catalogue.field(name);
  if (field === undefined) throw refuse(at, name, `is not a field of ${section}`);
  // An older release may have exported null for a field without a value.
  if (value === null) return field.initial;
  try {
    return checked(name, value);
  } catch (error) {
    if (error instanceof BadRequestError) throw refuse(at, name, 'has a value that is not valid');
    throw error;
  }
}

/** The attached VIF of a port in its canonical form; a text that is no id of a VIF is refused. */
function withCanonicalVif(at: string, record: Row): Row {
  const info = record['internal_info'];
  const vif = attachedVifOf(info);
  if (vif === null) return record;
  if (!isOutsideId(vif)) throw refuse(at, 'internal_info', `names a ${ATTACHED_VIF} that is no id`);
  return { ...record, internal_info: { ...(info as Row), [ATTACHED_VIF]: vif } }; // an object, for it has a VIF
}
