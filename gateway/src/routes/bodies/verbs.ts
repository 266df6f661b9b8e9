import { type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { NotAcceptableError, OutsideId, pointerTo } from '@tenure/contracts';
import {
  type BodyKind,
  type BodyMeaning,
  bodyOf,
  DOCUMENT_BYTES,
  MEDIUM_BYTES,
  SMALL_BYTES,
} from './body-kind.js';
import { Document } from './documents.js';

const exactly = <P extends TProperties>(properties: P): TObject<P> =>
  Type.Object(properties, { additionalProperties: false });

const Word = Type.String({ minLength: 1, maxLength: 255 });
/** A word, of which these are known to be taken. */
const WordLike = (...examples: readonly string[]) =>
  Type.String({ minLength: 1, maxLength: 255, examples });
const Url = Type.String({ minLength: 1, maxLength: 4096 });
/** A flag, or a word for one: the conductor knows which words. */
const Flag = Type.Union([Type.Boolean(), Type.String({ minLength: 1, maxLength: 16 })]);
const OrNull = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]));

const Steps = Type.Array(Document, { maxItems: 1000 });

const Provision = exactly({
  target: WordLike('manage', 'provide', 'active', 'deleted', 'clean', 'inspect', 'abort'),
  configdrive: OrNull(Type.Union([Type.String({ maxLength: DOCUMENT_BYTES }), Document])),
  clean_steps: OrNull(Steps),
  deploy_steps: OrNull(Steps),
  service_steps: OrNull(Steps),
  rescue_password: OrNull(Type.String({ maxLength: 1024 })),
  disable_ramdisk: OrNull(Flag),
  runbook: Type.Optional(Type.Unknown()),
});

/** Who may give steps is for the policy to say, so it is told which members there are. Runbooks are not served. */
const provisionMeaning = (body: Readonly<Record<string, unknown>>): BodyMeaning => {
  if (Object.hasOwn(body, 'runbook')) throw new NotAcceptableError();
  return { fields: Object.keys(body).map(pointerTo) };
};

/** The verbs on nodes and drivers. */
export const VERB_BODIES = {
  power: bodyOf({
    what: 'power state',
    limit: SMALL_BYTES,
    schema: exactly({
      target: WordLike('power on', 'power off', 'rebooting', 'soft power off', 'soft rebooting'),
      timeout: OrNull(Type.Integer({ minimum: 1 })),
    }),
  }),
  provision: bodyOf({
    what: 'provision state',
    limit: DOCUMENT_BYTES,
    schema: Provision,
    meaning: provisionMeaning,
  }),
  raid: bodyOf({ what: 'target RAID configuration', limit: MEDIUM_BYTES, schema: Document }),
  console: bodyOf({
    what: 'console state',
    limit: SMALL_BYTES,
    schema: exactly({ enabled: Flag }),
  }),
  bootMode: bodyOf({
    what: 'boot mode',
    limit: SMALL_BYTES,
    schema: exactly({ target: WordLike('uefi', 'bios') }),
  }),
  secureBoot: bodyOf({
    what: 'secure boot state',
    limit: SMALL_BYTES,
    schema: exactly({ target: Flag }),
  }),
  // The reason is optional, and so is the body that would hold it.
  maintenance: bodyOf({
    what: 'maintenance',
    limit: SMALL_BYTES,
    isOptional: true,
    schema: exactly({ reason: OrNull(Type.String({ maxLength: 4096 })) }),
  }),
  bootDevice: bodyOf({
    what: 'boot device',
    limit: SMALL_BYTES,
    schema: exactly({
      boot_device: WordLike('pxe', 'disk', 'cdrom', 'bios'),
      persistent: Type.Optional(Type.Boolean()),
    }),
  }),
  indicator: bodyOf({
    what: 'indicator',
    limit: SMALL_BYTES,
    schema: exactly({ state: WordLike('on', 'off', 'blinking') }),
  }),
  // Clients send nothing, `null` or `{}` where there is nothing to say.
  nothing: bodyOf({
    what: 'body',
    limit: SMALL_BYTES,
    isOptional: true,
    schema: Type.Union([Type.Null(), exactly({})]),
  }),
  // openstacksdk repeats the node of the path.
  introspection: bodyOf({
    what: 'introspection',
    limit: SMALL_BYTES,
    isOptional: true,
    schema: Type.Union([Type.Null(), exactly({ uuid: Type.Optional(Word) })]),
  }),
  traits: bodyOf({
    what: 'traits',
    limit: SMALL_BYTES,
    schema: exactly({
      traits: Type.Array(WordLike('CUSTOM_GPU', 'HW_CPU_X86_VMX'), { maxItems: 1000 }),
    }),
  }),
  vif: bodyOf({
    what: 'VIF',
    limit: SMALL_BYTES,
    schema: Type.Object(
      { id: OutsideId, port_uuid: OrNull(Word), portgroup_uuid: OrNull(Word) },
      { maxProperties: 64 },
    ),
  }),
  virtualMedia: bodyOf({
    what: 'virtual media',
    limit: SMALL_BYTES,
    schema: exactly({
      device_type: WordLike('cdrom', 'disk', 'floppy'),
      image_url: Url,
      image_download_source: OrNull(Word),
    }),
  }),
  // openstacksdk names the drives to empty in the body of a DELETE, others in the query.
  virtualDrives: bodyOf({
    what: 'virtual media',
    limit: SMALL_BYTES,
    isOptional: true,
    schema: exactly({
      device_types: Type.Optional(
        Type.Union([Type.String({ maxLength: 255 }), Type.Array(Word, { maxItems: 16 })]),
      ),
    }),
  }),
  vendor: bodyOf({
    what: 'vendor method',
    limit: MEDIUM_BYTES,
    isOptional: true,
    schema: Document,
  }),
} as const satisfies Record<string, BodyKind>;
