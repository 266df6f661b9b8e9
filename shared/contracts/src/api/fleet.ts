import { type TSchema, Type } from '@sinclair/typebox';
import { DRIVER_INTERFACE_SINCE } from '../microversion-changes.js';
import { recordSchemas } from './record-schemas.js';
import { exactly, Links, Members, Moment, orNull, Text, Uuid } from './values.js';

const Version = exactly(
  { id: Text, links: Links, status: Text, min_version: Text, version: Text },
  'Version',
);
export const ApiRoot = exactly(
  {
    name: Text,
    description: Text,
    default_version: Version,
    versions: Type.Array(Version),
  },
  'ApiRoot',
);
/** The root document of a version: links to each of its resources. */
export const ApiVersion = Type.Object(
  {
    id: Text,
    links: Links,
    media_types: exactly({ base: Text, type: Text }),
    version: Version,
  },
  { additionalProperties: Links, title: 'ApiVersion' },
);

const interfaceMembers = (): Readonly<Record<string, TSchema>> =>
  Object.fromEntries(
    Object.keys(DRIVER_INTERFACE_SINCE).flatMap((type): (readonly [string, TSchema])[] => [
      [`default_${type}_interface`, orNull(Text)],
      [`enabled_${type}_interfaces`, orNull(Type.Array(Text))],
    ]),
  );

export const DRIVER_SCHEMAS = recordSchemas({
  title: 'Driver',
  collection: 'drivers',
  members: {
    name: Text,
    hosts: Type.Array(Text),
    links: Links,
    properties: Links,
    type: Text,
    ...interfaceMembers(),
  },
  always: ['name', 'hosts', 'links'],
  sortKeys: [],
});

/** Names of properties, and what each is for. */
export const Explained = Type.Record(Text, Text, { title: 'Explained' });

export const CONDUCTOR_SCHEMAS = recordSchemas({
  title: 'Conductor',
  collection: 'conductors',
  members: {
    created_at: Moment,
    updated_at: Moment,
    hostname: Text,
    conductor_group: Text,
    drivers: Type.Array(Text),
    links: Links,
    alive: Type.Boolean(),
  },
  always: ['hostname', 'links'],
  sortKeys: ['id', 'hostname', 'conductor_group', 'created_at', 'updated_at'],
});

export const Shards = exactly(
  {
    shards: Type.Array(exactly({ name: Text, count: Type.Integer({ minimum: 0 }) })),
  },
  'Shards',
);

/** The part of a node that a deploy ramdisk receives. */
export const AgentLookup = exactly(
  {
    node: exactly({
      uuid: Uuid,
      properties: Members,
      instance_info: Members,
      driver_internal_info: Members,
    }),
    config: exactly({
      heartbeat_timeout: Type.Integer(),
      agent_token: Text,
      agent_token_required: Type.Boolean(),
    }),
  },
  'AgentLookup',
);
export const InspectedNode = exactly({ uuid: Uuid }, 'InspectedNode');

/** This very document. */
export const ApiDescription = Type.Object(
  { openapi: Text, info: Members, paths: Members },
  { title: 'ApiDescription' },
);
