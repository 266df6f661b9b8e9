import { type TSchema, Type } from '@sinclair/typebox';
import { TenancyId } from '../ids.js';
import { NODE_CATALOGUE } from '../node-fields.js';
import {
  type FieldKind,
  type ResourceCatalogue,
  type ResourceField,
} from '../resource-fields/catalogue.js';
import { CHASSIS_CATALOGUE } from '../resource-fields/chassis-fields.js';
import { DEPLOY_TEMPLATE_CATALOGUE } from '../resource-fields/deploy-template-fields.js';
import { LEASE_CATALOGUE } from '../resource-fields/lease-fields.js';
import { PORT_CATALOGUE } from '../resource-fields/port-fields.js';
import { PORTGROUP_CATALOGUE } from '../resource-fields/portgroup-fields.js';
import { VOLUME_CONNECTOR_CATALOGUE } from '../resource-fields/volume-connector-fields.js';
import { VOLUME_TARGET_CATALOGUE } from '../resource-fields/volume-target-fields.js';
import { exactly, Members, orNull, since, Uuid } from './values.js';

const Word = Type.String({ maxLength: 255 });

/** The members that clients may write. A flag may also be text (`true`, `false`); null resets a member to its default. */
const WRITTEN: Readonly<Record<FieldKind, TSchema>> = {
  string: orNull(Word),
  boolean: Type.Union([Type.Boolean(), Word, Type.Null()]),
  integer: Type.Union([Type.Integer(), Word, Type.Null()]),
  object: orNull(Members),
  string_list: orNull(Type.Array(Word)),
  object_list: orNull(Type.Array(Members)),
  timestamp: orNull(Word),
  uuid: orNull(Uuid),
};

interface Creation {
  readonly title: string;
  readonly catalogue: ResourceCatalogue;
  readonly special?: Readonly<Record<string, TSchema>>;
}

const Mac = Type.String({
  pattern: '^[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){5}$',
  examples: ['52:54:00:12:34:56'],
});
const LeaseMoment = Type.String({ format: 'date-time', examples: ['2027-03-01T08:00:00+01:00'] });
const WithNode = { node_uuid: Uuid } as const;

/** Bodies that create something. Which members a caller may give is for the policy to say. */
export const CREATION = {
  node: creationOf({
    title: 'NewNode',
    catalogue: NODE_CATALOGUE,
    special: {
      driver: Type.String({ maxLength: 255, examples: ['fake-hardware', 'redfish'] }),
    },
  }),
  port: creationOf({
    title: 'NewPort',
    catalogue: PORT_CATALOGUE,
    special: { ...WithNode, address: Mac },
  }),
  portgroup: creationOf({
    title: 'NewPortgroup',
    catalogue: PORTGROUP_CATALOGUE,
    special: { ...WithNode, address: orNull(Mac) },
  }),
  volumeConnector: creationOf({
    title: 'NewVolumeConnector',
    catalogue: VOLUME_CONNECTOR_CATALOGUE,
    special: WithNode,
  }),
  volumeTarget: creationOf({
    title: 'NewVolumeTarget',
    catalogue: VOLUME_TARGET_CATALOGUE,
    special: WithNode,
  }),
  lease: creationOf({
    title: 'NewLease',
    catalogue: LEASE_CATALOGUE,
    special: {
      ...WithNode,
      start_time: orNull(LeaseMoment),
      end_time: LeaseMoment,
    },
  }),
  chassis: creationOf({ title: 'NewChassis', catalogue: CHASSIS_CATALOGUE }),
  deployTemplate: creationOf({
    title: 'NewDeployTemplate',
    catalogue: DEPLOY_TEMPLATE_CATALOGUE,
    special: { name: Type.String({ maxLength: 255, examples: ['CUSTOM_GOLD'] }) },
  }),
  allocation: exactly(
    {
      uuid: Type.Optional(orNull(Uuid)),
      name: Type.Optional(orNull(Word)),
      owner: Type.Optional(orNull(TenancyId)),
      resource_class: Type.Optional(orNull(Type.String({ maxLength: 80 }))),
      traits: Type.Optional(orNull(Type.Array(Word, { maxItems: 50 }))),
      candidate_nodes: Type.Optional(orNull(Type.Array(Word, { maxItems: 1000 }))),
      extra: Type.Optional(orNull(Members)),
      node: Type.Optional(orNull(Word)),
    },
    'NewAllocation',
  ),
} as const;

/** The body of a POST, which is what a service takes of the fields of its catalogue. */
function creationOf({ title, catalogue, special = {} }: Creation): TSchema {
  const schemaOf = (field: ResourceField): TSchema => {
    const { name, kind, required } = field;
    const schema = since(field.since, special[name] ?? field.schema ?? WRITTEN[kind]);
    return required ? schema : Type.Optional(schema);
  };
  return exactly(
    {
      uuid: Type.Optional(orNull(Uuid)),
      ...Object.fromEntries(
        catalogue.fields
          .filter(({ writable }) => writable)
          .map((field) => [field.name, schemaOf(field)]),
      ),
    },
    title,
  );
}
