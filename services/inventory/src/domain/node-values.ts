import { type TSchema, Type } from '@sinclair/typebox';
import { BadRequestError, booleanIn, matches, type NodeField, nodeField } from '@tenure/contracts';
import { isKnownInterface } from './driver-interfaces.js';
import { hiddenMarkIn } from './secrets.js';

const MAX_OBJECT_BYTES = 512 * 1024;
/** Plain uuids only: the `uuid` format of JSON Schema also takes `urn:uuid:…`. */
export const UUID_PATTERN =
  '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$';
const UUID_FORM = new RegExp(UUID_PATTERN, 'u');
// Names stand in URLs beside uuids: letters, digits, - . _ ~ (RFC 3986, unreserved), and never the form of a uuid.
const NAME_FORM = /^[A-Za-z0-9\-._~]{1,255}$/u;

export const isUuid = (text: string): boolean => UUID_FORM.test(text);
/** The value as a uuid in its stored form (lower case), or undefined when it is none. */
export const uuidIn = (value: unknown): string | undefined =>
  typeof value === 'string' && isUuid(value) ? value.toLowerCase() : undefined;
// Segments that a URL parser removes, or that are routes of their own.
const NO_NAMES: ReadonlySet<string> = new Set(['.', '..', 'detail', 'validate']);
const isValidName = (value: string): boolean =>
  NAME_FORM.test(value) && !isUuid(value) && !NO_NAMES.has(value);

const text = (maxLength: number, minLength = 0, pattern?: string): TSchema =>
  Type.Union([
    Type.String({ minLength, maxLength, ...(pattern !== undefined && { pattern }) }),
    Type.Null(),
  ]);

const TEXT: Readonly<Record<string, TSchema>> = {
  conductor_group: Type.String({ maxLength: 255, pattern: '^[A-Za-z0-9_.-]*$' }),
  description: text(4096),
  driver: Type.String({ minLength: 1, maxLength: 255 }),
  last_error: text(65536),
  lessee: text(255, 1),
  owner: text(255, 1),
  provision_state: Type.String({ minLength: 1, maxLength: 15 }),
  resource_class: text(80, 1),
};

const KINDS: Readonly<Record<NodeField['kind'], TSchema>> = {
  string: text(255),
  boolean: Type.Boolean(),
  object: Type.Object({}, { additionalProperties: true }),
  string_list: Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
    maxItems: 50,
    uniqueItems: true,
  }),
  timestamp: Type.Union([Type.String({ format: 'date-time', maxLength: 40 }), Type.Null()]),
  uuid: Type.Union([Type.String({ pattern: UUID_PATTERN }), Type.Null()]),
};

const schemaOf = (field: NodeField): TSchema => {
  if (field.kind === 'boolean' && field.initial === null)
    return Type.Union([Type.Boolean(), Type.Null()]);
  return TEXT[field.name] ?? KINDS[field.kind];
};

const SCHEMAS = new Map<string, TSchema>();

const cachedSchemaOf = (field: NodeField): TSchema => {
  const known = SCHEMAS.get(field.name) ?? schemaOf(field);
  SCHEMAS.set(field.name, known);
  return known;
};

// Null is how a client says "as it was at first".
const NULL_MEANS_INITIAL: readonly NodeField['kind'][] = ['boolean', 'object', 'string_list'];

const coerced = (field: NodeField, value: unknown): unknown => {
  if (value === null)
    return field.name === 'conductor_group' || NULL_MEANS_INITIAL.includes(field.kind)
      ? field.initial
      : null;
  if (typeof value !== 'string') return value;
  if (field.kind === 'boolean') return booleanIn(value);
  return field.kind === 'uuid' || field.name === 'conductor_group' ? value.toLowerCase() : value;
};

/**
 * A value for a field of the catalogue, as it is stored: booleans given as text become booleans.
 * @throws BadRequestError naming the field
 */
export const checkedValue = (name: string, value: unknown): unknown => {
  const field = nodeField(name);
  if (field === undefined)
    throw new BadRequestError(`Schema error for node: '${name.slice(0, 64)}' was unexpected`);
  const stored = coerced(field, value);
  if (!matches(cachedSchemaOf(field), stored))
    throw new BadRequestError(`Invalid input for field/attribute ${name}.`);
  if (name === 'name' && typeof stored === 'string' && !isValidName(stored))
    throw new BadRequestError(`Cannot use invalid name ${stored}`);
  if (field.kind === 'object' && JSON.stringify(stored).length > MAX_OBJECT_BYTES)
    throw new BadRequestError(`${name} is larger than ${String(MAX_OBJECT_BYTES)} bytes.`);
  return stored;
};

/**
 * As `checkedValue`, and neither the mark that is shown instead of a secret nor an interface that no hardware type has.
 * @throws BadRequestError
 */
export const checkedInput = (name: string, value: unknown): unknown => {
  const place = hiddenMarkIn(name, value);
  if (place !== undefined)
    throw new BadRequestError(
      `${place}: "******" is what is shown instead of a secret; send the secret itself, or leave it out.`,
    );
  const checked = checkedValue(name, value);
  if (typeof checked === 'string' && !isKnownInterface(name, checked))
    throw new BadRequestError(`${name}: there is no interface "${checked.slice(0, 64)}".`);
  return checked;
};
