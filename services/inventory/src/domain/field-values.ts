import { type TSchema, Type } from '@sinclair/typebox';
import {
  BadRequestError,
  booleanIn,
  type FieldKind,
  isLongerJson,
  isUuid,
  matches,
  nullableText,
  type ResourceField,
  UUID_PATTERN,
} from '@tenure/contracts';

/** Limit for values that Tenure itself writes, and for imports. */
const MAX_OBJECT_BYTES = 512 * 1024;
/** Limit for values from requests, because every change of the record reads and writes them again. */
const MAX_REQUESTED_BYTES = 128 * 1024;
// Names are used in URLs beside uuids: letters, digits, - . _ ~ (RFC 3986, unreserved), and never the form of a uuid.
const NAME_FORM = /^[A-Za-z0-9\-._~]{1,255}$/u;

// Segments that a URL parser removes, or that are routes of their own.
const NO_NAMES: ReadonlySet<string> = new Set(['.', '..', 'detail', 'validate']);

const AnyObject = Type.Object({}, { additionalProperties: true });

const KINDS: Readonly<Record<FieldKind, TSchema>> = {
  string: nullableText(255),
  boolean: Type.Boolean(),
  integer: Type.Union([Type.Integer(), Type.Null()]),
  object: AnyObject,
  string_list: Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
    maxItems: 1000,
    uniqueItems: true,
  }),
  object_list: Type.Array(AnyObject, { maxItems: 1000 }),
  timestamp: Type.Union([Type.String({ format: 'date-time', maxLength: 40 }), Type.Null()]),
  uuid: Type.Union([Type.String({ pattern: UUID_PATTERN }), Type.Null()]),
};

/** The rules for the values of a kind of record. */
export interface ValueRules {
  /** For the error about a field that there is not: `node`. */
  readonly what: string;
  readonly field: (name: string) => ResourceField | undefined;
  /** Fields whose texts are stored in lower case. */
  readonly lowerCase: readonly string[];
  /** Of fields with texts of several spellings: the one that is stored. */
  readonly canonical?: Readonly<Record<string, (text: string) => string>>;
}

export type ValueChecker = (name: string, value: unknown) => unknown;

/** The value as a uuid in its stored form (lower case), or undefined when it is none. */
export const uuidIn = (value: unknown): string | undefined =>
  typeof value === 'string' && isUuid(value) ? value.toLowerCase() : undefined;

/**
 * Checks the new value of a field against the limit for requests. A value that is already larger may not grow.
 * @param field undefined for an unknown field
 * @param isLarge whether the larger limit for Tenure's own writes applies
 * @throws BadRequestError naming the field
 */
export function assertRequestedSize(
  field: ResourceField | undefined,
  { before, after, isLarge = false }: { before?: unknown; after: unknown; isLarge?: boolean },
): void {
  if (isLarge || field === undefined || !isNested(field)) return;
  if (!isLongerJson(after, MAX_REQUESTED_BYTES)) return;
  if (isNestedValue(before) && isLongerJson(before, JSON.stringify(after).length - 1)) return;
  throw new BadRequestError(`${field.name} is larger than ${String(MAX_REQUESTED_BYTES)} bytes.`);
}

/**
 * A function that gives a value for a field as it is stored: booleans given as text become booleans. It throws a
 * BadRequestError that names the field.
 */
export function valueChecker(rules: ValueRules): ValueChecker {
  const schemas = new Map<string, TSchema>();
  return (name, value) => {
    const field = rules.field(name);
    if (field === undefined)
      throw new BadRequestError(
        `Schema error for ${rules.what}: '${name.slice(0, 64)}' was unexpected`,
      );
    const schema = schemas.get(name) ?? schemaOf(field);
    schemas.set(name, schema);
    const stored = coerced(rules, field, value);
    if (!matches(schema, stored))
      throw new BadRequestError(`Invalid input for field/attribute ${name}.`);
    assertStorable(field, stored);
    return stored;
  };
}

const isNested = ({ kind }: ResourceField): boolean => kind === 'object' || kind === 'object_list';
const isNestedValue = (value: unknown): value is object =>
  typeof value === 'object' && value !== null;

function schemaOf({ kind, initial, schema }: ResourceField): TSchema {
  if (kind === 'boolean' && initial === null) return Type.Union([Type.Boolean(), Type.Null()]);
  return schema ?? KINDS[kind];
}

function coerced(rules: ValueRules, field: ResourceField, value: unknown): unknown {
  // Null resets a field to its initial value.
  if (value === null) return field.initial;
  if (typeof value !== 'string') return value;
  if (field.kind === 'boolean') return booleanIn(value);
  if (field.kind === 'integer' && /^[0-9]{1,9}$/u.test(value)) return Number(value);
  const form = canonicalOf(rules, field.name);
  if (form !== undefined) return form(value);
  return field.kind === 'uuid' || rules.lowerCase.includes(field.name)
    ? value.toLowerCase()
    : value;
}

function assertStorable(field: ResourceField, stored: unknown): void {
  if (field.name === 'name' && typeof stored === 'string' && !isValidName(stored))
    throw new BadRequestError(`Cannot use invalid name ${stored}`);
  if (isNested(field) && isLongerJson(stored, MAX_OBJECT_BYTES))
    throw new BadRequestError(`${field.name} is larger than ${String(MAX_OBJECT_BYTES)} bytes.`);
}

const canonicalOf = (
  { canonical = {} }: ValueRules,
  name: string,
): ((text: string) => string) | undefined =>
  Object.hasOwn(canonical, name) ? canonical[name] : undefined;

const isValidName = (value: string): boolean =>
  NAME_FORM.test(value) && !isUuid(value) && !NO_NAMES.has(value);
