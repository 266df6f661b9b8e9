import {
  BadRequestError,
  CHANGE,
  fieldOf,
  hiddenMarkIn,
  JsonPatch,
  NotAcceptableError,
  parse,
  type ResourceCatalogue,
  type ResourceField,
  unexpectedMember,
} from '@tenure/contracts';
import { assertRequestedSize, uuidIn } from './field-values.js';
import { type AnyKind, type Values } from './kinds/resource-kind.js';
import {
  patchedFields,
  patchOperation,
  type PatchOperation,
  valueInPlace,
} from './patch-operations.js';

/** A record's fields as they are when nothing was set. */
export const initialValues = ({ catalogue }: AnyKind): Values =>
  Object.fromEntries(catalogue.fields.map(({ name, initial }) => [name, initial]));

/**
 * The fields that a POST body gives, checked. A node that is named instead of given by its uuid is left as it is.
 * @param minor the negotiated microversion
 * @throws BadRequestError; NotAcceptableError when a field is newer than the version
 */
export function givenValues(kind: AnyKind, body: Values, minor: number): Values {
  assertCreatable(kind.catalogue, Object.keys(body), minor);
  assertComplete(kind, body);
  return Object.fromEntries(
    Object.entries(body).map(([name, value]): [string, unknown] => [
      name,
      mayBeName(kind, name, minor) && uuidIn(value) === undefined && typeof value === 'string'
        ? value
        : checkedInput(kind, name, value, minor),
    ]),
  );
}

/** The fields of a new record: those that a POST body gives, and the initial ones. Throws as `givenValues` does. */
export function createdValues(kind: AnyKind, body: Values, minor: number): Values {
  const whole = { ...initialValues(kind), ...givenValues(kind, body, minor) };
  kind.assertWhole(whole);
  return whole;
}

/**
 * A PATCH body, checked without looking at the record: 400 and 406 must not depend on what is stored.
 * @param minor the negotiated microversion
 * @throws BadRequestError; NotAcceptableError when a field is newer than the version
 */
export function parsedPatch(
  kind: AnyKind,
  body: unknown,
  minor: number,
): readonly PatchOperation[] {
  const { fields, field: definitionOf } = kind.catalogue;
  const operations = parse(JsonPatch, body, 'patch').map((operation) =>
    patchOperation(
      operation,
      definitionOf,
      fields,
      (name) => definitionOf(name)?.writable === true || Object.hasOwn(kind.apart, name),
    ),
  );
  if (operations.some(({ field }) => (fieldNamed(kind, field)?.since ?? 0) > minor))
    throw new NotAcceptableError();
  for (const { field } of operations)
    if (kind.apart[field] !== undefined) throw new BadRequestError(kind.apart[field]);
  for (const operation of operations) assertOperation(kind, operation, minor);
  return operations;
}

/**
 * A record's fields with all operations applied, or none.
 * @throws BadRequestError
 */
export function patchedValues<R extends object>(
  kind: AnyKind,
  record: R,
  operations: readonly PatchOperation[],
): R {
  const patched = patchedFields(
    record,
    operations,
    (name) => fieldNamed(kind, name)?.initial ?? null,
  );
  const checked = [...patched].map(([name, value]): [string, unknown] => {
    const after = kind.checkedValue(name, value);
    assertRequestedSize(fieldNamed(kind, name), {
      before: fieldOf(record, name),
      after,
      isLarge: isLarge(kind, name),
    });
    return [name, after];
  });
  const after = { ...record, ...Object.fromEntries(checked) };
  kind.assertWhole(after);
  return after;
}

/** Refuses members that a POST may not have. */
function assertCreatable(
  { what, field: definitionOf }: ResourceCatalogue,
  names: readonly string[],
  minor: number,
): void {
  const unknown = names.find((name) => name !== 'uuid' && definitionOf(name)?.writable !== true);
  if (unknown !== undefined) throw unexpectedMember(what, unknown);
  if (names.some((name) => (definitionOf(name)?.since ?? 0) > minor))
    throw new NotAcceptableError();
}

function assertComplete({ catalogue, what }: AnyKind, body: Values): void {
  const lacking = catalogue.fields.find(
    ({ name, required }) => required && (body[name] ?? null) === null,
  );
  if (lacking !== undefined)
    throw new BadRequestError(`Schema error for ${what}: '${lacking.name}' is a required property`);
}

const mayBeName = ({ section }: AnyKind, field: string, minor: number): boolean =>
  field === 'node_uuid' &&
  minor >= CHANGE.nodeNamesInBodies.minor &&
  (section === 'ports' || section === 'portgroups');

function checkedInput(kind: AnyKind, name: string, value: unknown, minor: number): unknown {
  const place = hiddenMarkIn(name, value, kind.secretObjects);
  if (place !== undefined)
    throw new BadRequestError(
      `${place}: "******" is a placeholder for a secret; send the secret itself, or leave it out.`,
    );
  const checked = kind.checkedValue(name, value);
  assertRequestedSize(kind.catalogue.field(name), { after: checked, isLarge: isLarge(kind, name) });
  kind.assertSent(name, checked, minor);
  return checked;
}

const isLarge = ({ largeObjects }: AnyKind, field: string): boolean => largeObjects.includes(field);

const fieldNamed = (kind: AnyKind, name: string): ResourceField | undefined =>
  kind.catalogue.field(name);

function assertOperation(kind: AnyKind, operation: PatchOperation, minor: number): void {
  const { op, field, below, value } = operation;
  const definition = fieldNamed(kind, field);
  const isCleared = below.length === 0 && (op === 'remove' || value === null);
  if (isCleared && definition?.required === true)
    throw new BadRequestError(`'/${field}' is a mandatory attribute and can not be removed`);
  // A part of a list is checked with the whole list, after the operation was applied.
  const isWhole = below.length === 0 || definition?.kind === 'object';
  if (op !== 'remove' && isWhole) checkedInput(kind, field, valueInPlace(operation), minor);
}
