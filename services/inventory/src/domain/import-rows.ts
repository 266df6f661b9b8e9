import { type TSchema, Type } from '@sinclair/typebox';
import {
  BadRequestError,
  matches,
  NODE_FIELDS,
  NODE_LINK_MEMBERS,
  type NodeRecord,
} from '@tenure/contracts';
import { defaultInterfaces } from './driver-interfaces.js';
import { newNode, timestampOf } from './node-record.js';
import { checkedValue, UUID_PATTERN, uuidIn } from './node-values.js';

export type Row = Readonly<Record<string, unknown>>;

const Name = Type.Union([Type.String({ minLength: 1, maxLength: 255 }), Type.Null()]);
const Text = Type.Union([Type.String({ maxLength: 65536 }), Type.Null()]);
const Uuid = Type.Union([Type.String({ pattern: UUID_PATTERN }), Type.Null()]);
const Flag = Type.Union([Type.Boolean(), Type.Null()]);
const Members = Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()]);
const Moment = Type.Union([Type.String({ format: 'date-time', maxLength: 40 }), Type.Null()]);
const Texts = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 1000 });
// Links are made when a record is shown; a document taken from the API may still hold them.
const Links = Type.Unknown();

const COMMON = {
  uuid: Type.String({ pattern: UUID_PATTERN }),
  created_at: Moment,
  updated_at: Moment,
  links: Links,
};

/** Fields of every kind of record but nodes, as the API names them. */
const SECTIONS: Readonly<Record<string, Readonly<Record<string, TSchema>>>> = {
  ports: {
    ...COMMON,
    name: Name,
    address: Name,
    node_uuid: Uuid,
    portgroup_uuid: Uuid,
    extra: Members,
    internal_info: Members,
    local_link_connection: Members,
    pxe_enabled: Flag,
    physical_network: Name,
    is_smartnic: Flag,
    description: Text,
    vendor: Name,
    category: Name,
    available_for_dynamic_portgroup: Flag,
  },
  portgroups: {
    ...COMMON,
    name: Name,
    address: Name,
    node_uuid: Uuid,
    extra: Members,
    internal_info: Members,
    mode: Name,
    properties: Members,
    standalone_ports_supported: Flag,
    ports: Links,
    physical_network: Name,
    category: Name,
    description: Text,
    dynamic_portgroup: Flag,
  },
  chassis: { ...COMMON, description: Text, extra: Members, nodes: Links },
  volume_connectors: { ...COMMON, node_uuid: Uuid, type: Name, connector_id: Name, extra: Members },
  volume_targets: {
    ...COMMON,
    node_uuid: Uuid,
    volume_type: Name,
    volume_id: Name,
    extra: Members,
    properties: Members,
    boot_index: Type.Union([
      Type.Integer({ minimum: 0 }),
      Type.String({ maxLength: 16 }),
      Type.Null(),
    ]),
  },
  deploy_templates: {
    ...COMMON,
    name: Name,
    steps: Type.Array(Members, { maxItems: 1000 }),
    extra: Members,
  },
  allocations: {
    ...COMMON,
    name: Name,
    owner: Name,
    resource_class: Name,
    traits: Texts,
    candidate_nodes: Texts,
    extra: Members,
    state: Type.Union([Type.Literal('allocating'), Type.Literal('active'), Type.Literal('error')]),
    node_uuid: Uuid,
    last_error: Text,
    candidate_filter: Type.Object({
      mode: Type.Union([Type.Literal('all'), Type.Literal('any_of'), Type.Literal('none')]),
      predicates: Type.Array(
        Type.Object({ field: Type.String(), op: Type.Literal('eq'), value: Type.String() }),
        { maxItems: 16 },
      ),
    }),
  },
};

const NODE_NAMES: ReadonlySet<string> = new Set(NODE_FIELDS.map(({ name }) => name));

const place = (section: string, row: Row, index: number): string =>
  `${section}[${String(index)}]${typeof row['uuid'] === 'string' ? ` (${row['uuid'].slice(0, 64)})` : ''}`;

const refuse = (at: string, field: string, why: string): BadRequestError =>
  new BadRequestError(`${at}: field '${field.slice(0, 64)}' ${why}`);

const nodeValue = (at: string, field: string, value: unknown): unknown => {
  try {
    return checkedValue(field, value);
  } catch (error) {
    if (error instanceof BadRequestError) throw refuse(at, field, 'has a value that is not valid');
    throw error;
  }
};

const nodeValues = (row: Row, at: string): Row =>
  Object.fromEntries(
    Object.entries(row).flatMap(([field, value]) => {
      if (Object.hasOwn(NODE_LINK_MEMBERS, field)) return [];
      if (!NODE_NAMES.has(field)) throw refuse(at, field, 'is not a field of a node');
      return [[field, nodeValue(at, field, value)]];
    }),
  );

/**
 * A node of an inventory document as a whole record; its numbers are set when it is stored.
 * @throws BadRequestError naming row and field
 */
export const importedNode = (row: Row, index: number, now: Date): NodeRecord => {
  const at = place('nodes', row, index);
  const values = nodeValues(row, at);
  if (uuidIn(values['uuid']) === undefined) throw refuse(at, 'uuid', 'must be a UUID');
  const { driver } = values;
  if (typeof driver !== 'string') throw refuse(at, 'driver', 'is missing');
  const created_at = values['created_at'] ?? timestampOf(now);
  return newNode({ ...defaultInterfaces(driver), ...values, created_at, conductor: null }, 0);
};

/** What a row of an allocation or a plain document says, without its links. */
export interface ImportedRow {
  readonly uuid: string;
  readonly [field: string]: unknown;
}

/**
 * A row of any other section, checked.
 * @throws BadRequestError naming row and field
 */
export const importedRow = (section: string, row: Row, index: number): ImportedRow => {
  const at = place(section, row, index);
  const schemas = SECTIONS[section] ?? {};
  const members = Object.entries(row).filter(([field, value]) => {
    const schema = Object.hasOwn(schemas, field) ? schemas[field] : undefined;
    if (schema === undefined) throw refuse(at, field, `is not a field of ${section}`);
    if (!matches(schema, value)) throw refuse(at, field, 'has a value that is not valid');
    return schema !== Links;
  });
  const uuid = uuidIn(row['uuid']);
  if (uuid === undefined) throw refuse(at, 'uuid', 'must be a UUID');
  return { ...Object.fromEntries(members), uuid };
};
