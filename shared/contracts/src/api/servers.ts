import { type TSchema, Type } from '@sinclair/typebox';
import { enumOf, exactly, Link, Members, Moment, orNull, Text, Uuid } from './values.js';

/** An object of which Nova's clients know more members than this description has. */
const open = (properties: Readonly<Record<string, TSchema>>, title?: string): TSchema =>
  Type.Object(properties, { additionalProperties: true, ...(title !== undefined && { title }) });

const Named = Type.String({ minLength: 1, maxLength: 255 });
const NovaLinks = Type.Array(Link);
const wrapped = (member: string, schema: TSchema, title: string): TSchema =>
  exactly({ [member]: schema }, title);

/** Nova's error body: one member, named after the kind of error. */
export const ComputeErrorBody = Type.Object(
  {},
  {
    additionalProperties: open({ code: Type.Integer(), message: Text }),
    minProperties: 1,
    maxProperties: 1,
    title: 'ComputeError',
  },
);

const Server = open(
  {
    id: Uuid,
    name: Text,
    status: Text,
    tenant_id: Text,
    user_id: orNull(Text),
    created: Moment,
    updated: Moment,
    links: NovaLinks,
  },
  'Server',
);
const Reference = open({ id: Uuid, name: Text, links: NovaLinks }, 'ServerReference');
const Created = open({ id: Uuid, links: NovaLinks }, 'CreatedServer');

const pageOf = (member: string, row: TSchema, title: string): TSchema =>
  Type.Object(
    { [member]: Type.Array(row), [`${member}_links`]: Type.Optional(NovaLinks) },
    { additionalProperties: false, title },
  );

const Flavor = open({ id: Text, name: Text, links: NovaLinks }, 'Flavor');
const Keypair = open({ name: Text, public_key: Text, fingerprint: Text }, 'Keypair');

/** Answers of the compute service. Members that came with a microversion are not described one by one. */
export const NOVA_ANSWERS = {
  version: open({ version: Members }, 'ComputeVersion'),
  server: wrapped('server', Server, 'ServerAnswer'),
  createdServer: wrapped('server', Created, 'CreatedServerAnswer'),
  servers: pageOf('servers', Reference, 'ServerList'),
  serverDetails: pageOf('servers', Server, 'ServerDetailList'),
  /** Of actions that answer with something: a password, the output of a console. */
  acted: open({}, 'ServerActionAnswer'),
  flavor: wrapped('flavor', Flavor, 'FlavorAnswer'),
  flavors: pageOf('flavors', Flavor, 'FlavorList'),
  extraSpecs: wrapped('extra_specs', Type.Record(Text, Text), 'FlavorExtraSpecs'),
  keypair: wrapped('keypair', Keypair, 'KeypairAnswer'),
  keypairs: pageOf('keypairs', wrapped('keypair', Keypair, 'KeypairInList'), 'KeypairList'),
} as const;

/** Request bodies of the compute service, for readers of the API's description. */
export const NOVA_CREATION = {
  server: open(
    {
      server: open({
        name: Named,
        flavorRef: Type.String({ minLength: 1, description: 'A resource class.' }),
        imageRef: Type.Optional(Type.String({ description: 'URL of an ISO image.' })),
        key_name: Type.Optional(Named),
        metadata: Type.Optional(Type.Record(Text, Text)),
        user_data: Type.Optional(Type.String({ maxLength: 65_535, description: 'Base64.' })),
        networks: Type.Optional(Type.Union([enumOf('none', 'auto'), Type.Array(Members)])),
      }),
    },
    'NewServer',
  ),
  serverUpdate: open({ server: open({ name: Type.Optional(Named) }) }, 'ServerUpdate'),
  keypair: exactly(
    {
      keypair: open({
        name: Named,
        public_key: Type.Optional(Text),
        type: Type.Optional(enumOf('ssh', 'x509')),
        user_id: Type.Optional(Text),
      }),
    },
    'NewKeypair',
  ),
} as const;
