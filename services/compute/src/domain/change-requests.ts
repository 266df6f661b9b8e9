import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { parse, type ServerChange } from '@tenure/contracts';
import { assertImageReference } from './image.js';
import {
  assertMembersAt,
  assertUserData,
  Description,
  DiskConfig,
  exactly,
  Flag,
  HostName,
  KeyName,
  Metadata,
  Name,
  NoAddress,
  Password,
  UserData,
} from './server-members.js';

const UpdateBody = exactly({
  server: Type.Object(
    {
      name: Type.Optional(Name),
      description: Type.Optional(Description),
      hostname: Type.Optional(HostName),
      'OS-DCF:diskConfig': Type.Optional(DiskConfig),
      accessIPv4: Type.Optional(NoAddress),
      accessIPv6: Type.Optional(NoAddress),
    },
    { additionalProperties: false, minProperties: 1 },
  ),
});
const UPDATE_SINCE: Readonly<Record<string, number>> = { description: 19, hostname: 90 };

const RebuildBody = exactly({
  rebuild: exactly({
    imageRef: Type.String({ minLength: 1, maxLength: 2048 }),
    name: Type.Optional(Name),
    adminPass: Type.Optional(Password),
    metadata: Type.Optional(Metadata),
    preserve_ephemeral: Type.Optional(Type.Union([Type.Literal(false), Type.Literal('false')])),
    personality: Type.Optional(Type.Array(Type.Never(), { maxItems: 0 })),
    'OS-DCF:diskConfig': Type.Optional(DiskConfig),
    accessIPv4: Type.Optional(NoAddress),
    accessIPv6: Type.Optional(NoAddress),
    description: Type.Optional(Description),
    key_name: Type.Optional(KeyName),
    user_data: Type.Optional(UserData),
    hostname: Type.Optional(HostName),
  }),
});
type RebuildBody = Static<typeof RebuildBody>['rebuild'];
const REBUILD_SINCE: Readonly<Record<string, number>> = {
  description: 19,
  key_name: 54,
  user_data: 57,
  hostname: 90,
};

const RebootBody = exactly({
  reboot: exactly({
    type: Type.Union(
      ['HARD', 'Hard', 'hard', 'SOFT', 'Soft', 'soft'].map((word) => Type.Literal(word)),
    ),
  }),
});

const RescueBody = exactly({
  rescue: Type.Union([
    Type.Null(),
    exactly({
      adminPass: Type.Optional(Password),
      rescue_image_ref: Type.Optional(Type.Union([Type.Null(), Type.Literal('')])),
    }),
  ]),
});

const LockBody = exactly({
  lock: Type.Union([
    Type.Null(),
    exactly({ locked_reason: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })) }),
  ]),
});
const LOCK_REASON_SINCE = 73;

const PasswordBody = exactly({ changePassword: exactly({ adminPass: Password }) });
const ConsoleBody = exactly({
  'os-getConsoleOutput': exactly({
    length: Type.Optional(
      Type.Union([Type.Integer({ minimum: -1 }), Type.String({ maxLength: 16 }), Type.Null()]),
    ),
  }),
});
const EvacuateBody = exactly({
  evacuate: exactly({
    host: Type.Optional(Type.String({ maxLength: 255 })),
    onSharedStorage: Type.Optional(Flag),
    force: Type.Optional(Flag),
    adminPass: Type.Optional(Password),
  }),
});
const ResizeBody = exactly({
  resize: exactly({
    flavorRef: Type.Union([Type.String({ minLength: 1, maxLength: 255 }), Type.Integer()]),
    'OS-DCF:diskConfig': Type.Optional(DiskConfig),
  }),
});

const CHECKED: Readonly<Record<string, TSchema>> = {
  changePassword: PasswordBody,
  'os-getConsoleOutput': ConsoleBody,
  evacuate: EvacuateBody,
  resize: ResizeBody,
};

/**
 * The body of `PUT /servers/{id}`, as what changes of the record.
 * @throws BadRequestError
 */
export function readUpdateRequest(body: unknown, minor: number): ServerChange {
  const { server } = parse(UpdateBody, body, 'server');
  assertMembersAt(server, UPDATE_SINCE, { what: 'server', minor });
  const { name, description, hostname } = server;
  return {
    ...(name !== undefined && { name: name.trim() }),
    ...(description !== undefined && { description }),
    ...(hostname !== undefined && { hostname }),
  };
}

/**
 * The body of the action `rebuild`.
 * @throws BadRequestError
 */
export function readRebuildRequest(body: unknown, minor: number): RebuildBody {
  const { rebuild } = parse(RebuildBody, body, 'rebuild');
  assertMembersAt(rebuild, REBUILD_SINCE, { what: 'rebuild', minor });
  assertUserData(rebuild.user_data);
  assertImageReference(rebuild.imageRef);
  return rebuild;
}

/** @throws BadRequestError */
export function readRebootRequest(body: unknown): { readonly soft: boolean } {
  const { reboot } = parse(RebootBody, body, 'reboot');
  return { soft: reboot.type.toLowerCase() === 'soft' };
}

/** @throws BadRequestError */
export function readRescueRequest(body: unknown): { readonly adminPass: string | null } {
  const { rescue } = parse(RescueBody, body, 'rescue');
  const password = rescue?.adminPass ?? '';
  return { adminPass: password === '' ? null : password };
}

/** @throws BadRequestError */
export function readLockRequest(body: unknown, minor: number): { readonly reason: string | null } {
  const { lock } = parse(LockBody, body, 'lock');
  assertMembersAt(lock ?? {}, { locked_reason: LOCK_REASON_SINCE }, { what: 'lock', minor });
  return { reason: lock?.locked_reason ?? null };
}

/**
 * Checks the body of an action whose arguments make no difference here: Nova's word for a bad one comes before its word
 * for what cannot be done.
 * @throws BadRequestError
 */
export function assertActionBody(verb: string, body: unknown): void {
  const schema = Object.hasOwn(CHECKED, verb) ? CHECKED[verb] : undefined;
  if (schema !== undefined) parse(schema, body, verb);
}
