import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { BadRequestError, canonicalOutsideId, parse } from '@tenure/contracts';
import { assertImageReference } from './image.js';
import {
  assertMembersAt,
  assertUserData,
  Description,
  DiskConfig,
  exactly,
  Flag,
  HostName,
  isYes,
  KeyName,
  Metadata,
  Name,
  NoAddress,
  Password,
  Tag,
  UserData,
} from './server-members.js';

const orNull = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));
const Id = Type.String({ minLength: 1, maxLength: 255 });
const VifId = Type.String({ pattern: '^[A-Za-z0-9._~-]{1,255}$' });
const One = Type.Union([Type.Literal(1), Type.Literal('1')]);

const Network = exactly({
  port: orNull(VifId),
  uuid: orNull(Id),
  fixed_ip: orNull(Type.String({ maxLength: 64 })),
  tag: orNull(Type.String({ maxLength: 60 })),
});

/** The one block device that a machine without volumes has: the disk that the image goes to. */
const BlockDevice = exactly({
  uuid: Type.String({ minLength: 1, maxLength: 2048 }),
  source_type: Type.Literal('image'),
  destination_type: Type.Literal('local'),
  boot_index: Type.Union([Type.Literal(0), Type.Literal('0')]),
  delete_on_termination: Type.Optional(Flag),
});

const Hints = Type.Optional(exactly({}));

const ServerBody = exactly({
  name: Name,
  flavorRef: Type.Union([Id, Type.Integer({ minimum: 0 })]),
  imageRef: Type.Optional(Type.String({ maxLength: 2048 })),
  adminPass: Type.Optional(Password),
  metadata: Type.Optional(Metadata),
  networks: orNull(
    Type.Union([Type.Literal('none'), Type.Literal('auto'), Type.Array(Network, { maxItems: 64 })]),
  ),
  'OS-DCF:diskConfig': Type.Optional(DiskConfig),
  accessIPv4: Type.Optional(NoAddress),
  accessIPv6: Type.Optional(NoAddress),
  personality: Type.Optional(Type.Array(Type.Never(), { maxItems: 0 })),
  availability_zone: orNull(Type.String({ minLength: 1, maxLength: 255 })),
  block_device_mapping: Type.Optional(Type.Array(Type.Never(), { maxItems: 0 })),
  block_device_mapping_v2: Type.Optional(Type.Array(BlockDevice, { maxItems: 1 })),
  config_drive: orNull(Flag),
  key_name: Type.Optional(KeyName),
  min_count: Type.Optional(One),
  max_count: Type.Optional(One),
  return_reservation_id: Type.Optional(Type.Literal(false)),
  security_groups: Type.Optional(
    Type.Array(exactly({ name: Type.Literal('default') }), {
      maxItems: 1,
    }),
  ),
  user_data: Type.Optional(UserData),
  description: Type.Optional(Description),
  tags: Type.Optional(Type.Array(Tag, { maxItems: 50, uniqueItems: true })),
  hostname: Type.Optional(HostName),
});
type ServerBody = Static<typeof ServerBody>;

const CreateBody = exactly({
  server: ServerBody,
  'os:scheduler_hints': Hints,
  'OS-SCH-HNT:scheduler_hints': Hints,
});

const SINCE: Readonly<Record<string, number>> = {
  description: 19,
  tags: 52,
  hostname: 90,
};
const NETWORKS_REQUIRED_SINCE = 37;
/** Names the image for clients that look every other image up in an image service first. */
const IMAGE_PROPERTY = 'image_ref';

/** A requested server. Its flavor and its key pair are not checked yet: other services have them. */
export interface WantedServer {
  readonly name: string;
  readonly description: string | null;
  readonly flavorRef: string;
  readonly imageRef: string;
  readonly adminPass: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly vifs: readonly string[];
  readonly keyName: string | null;
  readonly userData: string | null;
  readonly configDrive: boolean;
  readonly availabilityZone: string;
  readonly tags: readonly string[];
  /** Null: made of the name. */
  readonly hostname: string | null;
}

/**
 * The body of `POST /servers`.
 * @param minor microversion: 2.`minor`
 * @throws BadRequestError for what is not of Nova's schema, and for what no bare-metal server can be
 */
export function readCreateRequest(body: unknown, minor: number): WantedServer {
  const { server } = parse(CreateBody, body, 'server');
  assertMembersAt(server, SINCE, { what: 'server', minor });
  assertUserData(server.user_data);
  return {
    name: server.name.trim(),
    description: server.description ?? null,
    flavorRef: String(server.flavorRef),
    imageRef: imageIn(server),
    adminPass: server.adminPass ?? null,
    metadata: server.metadata ?? {},
    vifs: distinct(vifsIn(server, minor)),
    keyName: server.key_name ?? null,
    userData: server.user_data ?? null,
    configDrive: isYes(server.config_drive),
    availabilityZone: server.availability_zone ?? 'nova',
    tags: server.tags ?? [],
    hostname: server.hostname ?? null,
  };
}

function imageIn({
  imageRef = '',
  block_device_mapping_v2: devices = [],
  metadata = {},
}: ServerBody): string {
  const [device] = devices;
  const named = imageRef === '' ? (device?.uuid ?? metadata[IMAGE_PROPERTY] ?? '') : imageRef;
  if (device !== undefined && device.uuid !== named)
    throw new BadRequestError(
      'Block Device Mapping is Invalid: the boot device must be of the image of the server.',
    );
  assertImageReference(named);
  return named;
}

function distinct(vifs: readonly string[]): readonly string[] {
  if (new Set(vifs).size !== vifs.length)
    throw new BadRequestError('A port can be attached once only.');
  return vifs;
}

function vifsIn({ networks }: ServerBody, minor: number): readonly string[] {
  if (networks === undefined && minor >= NETWORKS_REQUIRED_SINCE)
    throw new BadRequestError(
      "Invalid input for field/attribute server. 'networks' is a required property",
    );
  if (typeof networks === 'string') {
    if (minor < NETWORKS_REQUIRED_SINCE)
      throw new BadRequestError(
        `Invalid input for field/attribute networks. Value: ${networks}. '${networks}' is not of type 'array'`,
      );
    return [];
  }
  return (networks ?? []).map(({ port, uuid, fixed_ip: address }) => {
    if (typeof port !== 'string')
      throw new BadRequestError(
        `Network ${uuid ?? ''} could not be found: name the port (VIF) to attach.`,
      );
    if (typeof address === 'string')
      throw new BadRequestError('Specified Fixed IP cannot be used with port.');
    return canonicalOutsideId(port);
  });
}
