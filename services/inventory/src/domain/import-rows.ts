import { type TSchema, Type } from '@sinclair/typebox';
import {
  ATTACHED_VIF,
  attachedVifOf,
  BadRequestError,
  HANDOVER_CAUSES,
  HANDOVER_PHASES,
  HANDOVER_STATUSES,
  isOutsideId,
  LEASE_PHASES,
  LEASE_STATUSES,
  matches,
  NODE_FIELDS,
  NODE_LINK_MEMBERS,
  type NodeRecord,
  OutsideId,
  TenancyId,
  timestampOf,
} from '@tenure/contracts';
import { defaultInterfaces } from './driver-interfaces.js';
import { type ResourceKind } from './kinds/resource-kind.js';
import { newNode } from './node-record.js';
import { checkedValue, UUID_PATTERN, uuidIn } from './node-values.js';
import { CLAIM_KINDS, claimKey, type ClaimKind, outsideThing } from './outside-things.js';
import { initialValues } from './resource-values.js';

export type Row = Readonly<Record<string, unknown>>;

const Name = Type.Union([Type.String({ minLength: 1, maxLength: 255 }), Type.Null()]);
const Project = Type.Union([TenancyId, Type.Null()]);
const Text = Type.Union([Type.String({ maxLength: 65536 }), Type.Null()]);
const Id = Type.String({ minLength: 1, maxLength: 255 });
const Uuid = Type.String({ pattern: UUID_PATTERN });
const Members = Type.Object({}, { additionalProperties: true });
const KnownMoment = Type.String({ format: 'date-time', maxLength: 40 });
const Moment = Type.Union([KnownMoment, Type.Null()]);
const oneOf = (words: readonly string[]): TSchema =>
  Type.Union(words.map((word) => Type.Literal(word)));
const Texts = Type.Array(Id, { maxItems: 1000 });
const nullable = (schema: TSchema): TSchema => Type.Union([schema, Type.Null()]);
// Links are made when a record is shown; a document taken from the API may still hold them.
const Links = Type.Unknown();

const MOMENTS = { created_at: Moment, updated_at: Moment };

/** Sections whose rows no catalogue describes. */
export type PlainSection =
  'allocations' | 'leases' | 'handovers' | 'claims' | 'node_documents' | 'node_history';

interface PlainRows {
  readonly schemas: Readonly<Record<string, TSchema>>;
  /** Fields that a row has to have. */
  readonly required: readonly string[];
}

const PLAIN: Readonly<Record<PlainSection, PlainRows>> = {
  allocations: {
    required: ['uuid'],
    schemas: {
      ...MOMENTS,
      uuid: Uuid,
      links: Links,
      name: Name,
      owner: Project,
      resource_class: Name,
      traits: Texts,
      candidate_nodes: Texts,
      extra: nullable(Members),
      state: Type.Union([
        Type.Literal('allocating'),
        Type.Literal('active'),
        Type.Literal('error'),
      ]),
      node_uuid: nullable(Uuid),
      last_error: Text,
      candidate_filter: Type.Object({
        mode: Type.Union([Type.Literal('all'), Type.Literal('any_of'), Type.Literal('none')]),
        predicates: Type.Array(
          Type.Object({ field: Type.String(), op: Type.Literal('eq'), value: Type.String() }),
          { maxItems: 16 },
        ),
      }),
    },
  },
  leases: {
    required: ['uuid', 'node_uuid', 'lessee', 'status', 'start_time', 'end_time'],
    schemas: {
      ...MOMENTS,
      uuid: Uuid,
      links: Links,
      node_uuid: Uuid,
      owner: Project,
      lessee: TenancyId,
      status: oneOf(LEASE_STATUSES),
      reason: Name,
      start_time: KnownMoment,
      end_time: KnownMoment,
      started_at: Moment,
      ended_at: Moment,
      on_end: Type.Object(
        { undeploy: Type.Boolean(), clean: Type.Boolean() },
        { additionalProperties: false },
      ),
      purpose: Name,
      phase: nullable(oneOf(LEASE_PHASES)),
      sealed: nullable(Members),
    },
  },
  handovers: {
    required: [
      ...['uuid', 'node_uuid', 'cause', 'owner', 'from_project', 'to_project', 'status', 'phase'],
      ...['plan', 'reason', 'decision_id', 'request_id', 'user_id', 'lease_uuid'],
      ...['allocation_uuid', 'agent', 'steps', 'erased', 'put_back', 'firmware', 'sealed'],
      ...['opened_at', 'completed_at', 'number', 'previous', 'digest', 'signature'],
    ],
    schemas: {
      ...MOMENTS,
      uuid: Uuid,
      node_uuid: Uuid,
      cause: oneOf(HANDOVER_CAUSES),
      status: oneOf(HANDOVER_STATUSES),
      phase: nullable(oneOf(HANDOVER_PHASES)),
      owner: Name,
      from_project: Name,
      to_project: Name,
      plan: Type.Object(
        { undeploy: Type.Boolean(), clean: Type.Boolean() },
        { additionalProperties: false },
      ),
      reason: Name,
      decision_id: Name,
      request_id: Name,
      user_id: Name,
      lease_uuid: nullable(Uuid),
      allocation_uuid: nullable(Uuid),
      agent: Name,
      steps: Type.Array(Members, { maxItems: 1000 }),
      erased: Type.Array(Members, { maxItems: 1000 }),
      put_back: Members,
      firmware: Type.Array(Members, { maxItems: 10_000 }),
      sealed: Members,
      opened_at: KnownMoment,
      completed_at: Moment,
      number: nullable(Type.Integer({ minimum: 1 })),
      previous: Name,
      digest: Name,
      signature: Text,
    },
  },
  claims: {
    required: ['uuid', 'kind', 'id', 'project_id'],
    schemas: {
      uuid: Type.String({ pattern: '^(?:vif|volume|connector):.', maxLength: 270 }),
      kind: oneOf(CLAIM_KINDS),
      id: OutsideId,
      project_id: Project,
      place: Type.Union([
        Type.Object({
          section: Type.Union([Type.Literal('ports'), Type.Literal('portgroups')]),
          uuid: Id,
        }),
        Type.Null(),
      ]),
    },
  },
  node_documents: {
    required: ['uuid', 'node_uuid', 'document'],
    schemas: {
      ...MOMENTS,
      uuid: Type.String({ pattern: `${UUID_PATTERN.slice(0, -1)}:[a-z]{1,32}$` }),
      node_uuid: Uuid,
      document: Members,
    },
  },
  node_history: {
    required: ['uuid', 'node_uuid', 'created_at', 'severity', 'event'],
    schemas: {
      ...MOMENTS,
      uuid: Uuid,
      node_uuid: Uuid,
      severity: Type.Union([Type.Literal('ERROR'), Type.Literal('INFO')]),
      event: Type.String({ maxLength: 65536 }),
      event_type: Name,
      conductor: Name,
      user: Name,
    },
  },
};

/** What an export says of a node beside its fields. */
const CUSTODY: Readonly<Record<string, TSchema>> = {
  handover_uuid: nullable(Uuid),
  custody: Type.Object(
    {
      before: Type.Optional(Members),
      touched: Type.Optional(Type.Boolean()),
      opening: Type.Optional(
        nullable(
          Type.Object(
            { uuid: Uuid, cause: oneOf(HANDOVER_CAUSES) },
            { additionalProperties: true },
          ),
        ),
      ),
      head: Type.Optional(
        Type.Object(
          { count: Type.Integer({ minimum: 0 }), digest: Name },
          { additionalProperties: false },
        ),
      ),
    },
    { additionalProperties: false },
  ),
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
      const schema = Object.hasOwn(CUSTODY, field) ? CUSTODY[field] : undefined;
      if (schema !== undefined) {
        if (!matches(schema, value)) throw refuse(at, field, 'has a value that is not valid');
        return [[field, value]];
      }
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

/** What a row says, without its links. */
export interface ImportedRow {
  readonly uuid: string;
  readonly [field: string]: unknown;
}

const importedClaim = (at: string, row: Row): ImportedRow => {
  const { kind, id } = row as { readonly kind: ClaimKind; readonly id: string }; // of the schema
  if (row['uuid'] !== `${kind}:${id}`) throw refuse(at, 'uuid', 'must be made of kind and id');
  const thing = outsideThing(kind, id);
  return { ...row, ...thing, uuid: claimKey(thing) };
};

const assertUuid = (at: string, row: Row): void => {
  if (uuidIn(row['uuid']) === undefined) throw refuse(at, 'uuid', 'must be a UUID');
};

/**
 * A row of a section that no catalogue describes, checked.
 * @throws BadRequestError naming row and field
 */
export const importedRow = (section: PlainSection, row: Row, index: number): ImportedRow => {
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
};

/** The attached VIF of a port in its canonical form; a text that is no id of a VIF is refused. */
const withCanonicalVif = (at: string, record: Row): Row => {
  const info = record['internal_info'];
  const vif = attachedVifOf(info);
  if (vif === null) return record;
  if (!isOutsideId(vif)) throw refuse(at, 'internal_info', `names a ${ATTACHED_VIF} that is no id`);
  return { ...record, internal_info: { ...(info as Row), [ATTACHED_VIF]: vif } }; // an object, for it has a VIF
};
const TENANT = 'tenant';

const resourceValue = (
  at: string,
  { catalogue, section, checkedValue: checked }: ResourceKind,
  name: string,
  value: unknown,
): unknown => {
  // Whose tenant hung it there, in an export.
  if (name === TENANT && matches(Name, value)) return value;
  const field = catalogue.field(name);
  if (field === undefined) throw refuse(at, name, `is not a field of ${section}`);
  // What an older release kept without a value comes back without one.
  if (value === null) return field.initial;
  try {
    return checked(name, value);
  } catch (error) {
    if (error instanceof BadRequestError) throw refuse(at, name, 'has a value that is not valid');
    throw error;
  }
};

/**
 * A row of a kind with a catalogue as a whole record, checked; its revision is set when it is stored.
 * @throws BadRequestError naming row and field
 */
export const importedResource = (
  kind: ResourceKind,
  row: Row,
  index: number,
  now: Date,
): ImportedRow => {
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
};
