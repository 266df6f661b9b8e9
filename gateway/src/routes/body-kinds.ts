import { type TSchema, Type } from '@sinclair/typebox';
import {
  BadRequestError,
  booleanIn,
  JsonPatch,
  parse,
  pointerTo,
  type Requested,
  segmentsOf,
} from '@tenure/contracts';

/** What the policy is told of a body: which fields it touches, and what it asks for (untrusted). */
export interface BodyMeaning {
  readonly fields?: string[];
  readonly requested?: Requested;
}

/** A kind of body: its limit, and how the question to the policy follows from it. */
export interface BodyKind {
  /** Bytes; 0 when the route takes no body. */
  readonly limit: number;
  /** @throws BadRequestError when the body is not of the kind */
  readonly meaning: (json: unknown) => BodyMeaning;
}

const NO_MEANING: BodyMeaning = {};
const SMALL_BYTES = 16 * 1024;
const DOCUMENT_BYTES = 1024 * 1024;
const MAX_FIELDS = 1000;

const Document = Type.Record(Type.String({ maxLength: 255 }), Type.Unknown(), {
  maxProperties: MAX_FIELDS,
});
const Owner = Type.Union([Type.String({ maxLength: 255 }), Type.Null()]);
const AutomatedClean = Type.Union([Type.Boolean(), Type.Null()]);

const ownerOf = (value: unknown, what: string): Pick<Requested, 'owner'> =>
  value === undefined ? {} : { owner: parse(Owner, value, `${what} owner`) };

const automatedCleanOf = (value: unknown): Pick<Requested, 'automated_clean'> =>
  value === undefined
    ? {}
    : { automated_clean: parse(AutomatedClean, booleanIn(value), 'node automated_clean') };

const present = (requested: Requested): Pick<BodyMeaning, 'requested'> =>
  Object.keys(requested).length > 0 ? { requested } : {};

const documentOf = (json: unknown, what: string): Readonly<Record<string, unknown>> => {
  if (json === undefined) throw new BadRequestError('The request needs a JSON body.');
  return parse(Document, json, what);
};

const nodeDocument = (json: unknown): BodyMeaning => {
  const node = documentOf(json, 'node');
  const requested = {
    ...ownerOf(node['owner'], 'node'),
    ...automatedCleanOf(node['automated_clean']),
  };
  return { fields: Object.keys(node).map(pointerTo), ...present(requested) };
};

const allocationDocument = (json: unknown): BodyMeaning => {
  const allocation = documentOf(json, 'allocation');
  return {
    fields: Object.keys(allocation).map(pointerTo),
    ...present(ownerOf(allocation['owner'], 'allocation')),
  };
};

interface Write {
  readonly member: string;
  readonly depth: number;
  readonly value: unknown;
}

const writesOf = (patch: JsonPatch): readonly Write[] =>
  patch.map((operation) => {
    const segments = segmentsOf(operation.path);
    const member = segments?.[0];
    if (segments === undefined || member === undefined || member === '')
      throw new BadRequestError(
        `The path ${JSON.stringify(operation.path)} is not a JSON pointer to a field.`,
      );
    if (operation.op === 'remove') return { member, depth: segments.length, value: null };
    if (!('value' in operation))
      throw new BadRequestError(`The operation on ${operation.path} has no value.`);
    return { member, depth: segments.length, value: operation.value };
  });

const lastOf = (writes: readonly Write[], member: string): unknown =>
  writes.findLast((write) => write.member === member && write.depth === 1)?.value;

/** Cleaning is asked to be off when any operation turns it off, whatever a later one says. */
const automatedCleanIn = (writes: readonly Write[]): unknown =>
  writes.some(({ member, value }) => member === 'automated_clean' && booleanIn(value) === false)
    ? false
    : lastOf(writes, 'automated_clean');

const patchOf = (
  json: unknown,
  what: string,
): { readonly fields: string[]; readonly writes: readonly Write[] } => {
  if (json === undefined) throw new BadRequestError('The request needs a JSON body.');
  const writes = writesOf(parse(JsonPatch, json, `${what} patch`));
  // The policy judges whole fields: what is below them would only make the question longer.
  const fields = [...new Set(writes.map(({ member }) => pointerTo(member)))];
  return { fields, writes };
};

const nodePatch = (json: unknown): BodyMeaning => {
  const { fields, writes } = patchOf(json, 'node');
  const requested = {
    ...ownerOf(lastOf(writes, 'owner'), 'node'),
    ...automatedCleanOf(automatedCleanIn(writes)),
  };
  return { fields, ...present(requested) };
};

const allocationPatch = (json: unknown): BodyMeaning => {
  const { fields, writes } = patchOf(json, 'allocation');
  return { fields, ...present(ownerOf(lastOf(writes, 'owner'), 'allocation')) };
};

const shaped =
  (schema: TSchema, what: string) =>
  (json: unknown): BodyMeaning => {
    if (json === undefined) throw new BadRequestError('The request needs a JSON body.');
    parse(schema, json, what);
    return NO_MEANING;
  };

const PowerTarget = Type.Object(
  {
    target: Type.String({ minLength: 1, maxLength: 255 }),
    timeout: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.Null()])),
  },
  { additionalProperties: false },
);

const Maintenance = Type.Object(
  { reason: Type.Optional(Type.Union([Type.String({ maxLength: 4096 }), Type.Null()])) },
  { additionalProperties: false },
);

const BootDevice = Type.Object(
  {
    boot_device: Type.String({ minLength: 1, maxLength: 255 }),
    persistent: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);

/** Every kind of body that a route of the table may take. */
export const BODY = {
  none: { limit: 0, meaning: () => NO_MEANING },
  node: { limit: DOCUMENT_BYTES, meaning: nodeDocument },
  nodePatch: { limit: DOCUMENT_BYTES, meaning: nodePatch },
  allocation: { limit: DOCUMENT_BYTES, meaning: allocationDocument },
  allocationPatch: { limit: DOCUMENT_BYTES, meaning: allocationPatch },
  power: { limit: SMALL_BYTES, meaning: shaped(PowerTarget, 'power state') },
  bootDevice: { limit: SMALL_BYTES, meaning: shaped(BootDevice, 'boot device') },
  // The reason is optional, and so is the body that would hold it.
  maintenance: {
    limit: SMALL_BYTES,
    meaning: (json) => (json === undefined ? NO_MEANING : shaped(Maintenance, 'maintenance')(json)),
  },
} as const satisfies Record<string, BodyKind>;
