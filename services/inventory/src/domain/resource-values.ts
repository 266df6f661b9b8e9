import {
  BadRequestError,
  hiddenMarkIn,
  JsonPatch,
  NotAcceptableError,
  parse,
  type ResourceCatalogue,
  type ResourceField,
  unexpectedMember,
} from '@tenure/contracts';
import { assertAskedSize, uuidIn } from './field-values.js';
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

const checkedInput = (kind: AnyKind, name: string, value: unknown): unknown => {
  const place = hiddenMarkIn(name, value, kind.secretObjects);
  if (place !== undefined)
    throw new BadRequestError(
      `${place}: "******" is what is shown instead of a secret; send the secret itself, or leave it out.`,
    );
  const checked = kind.checkedValue(name, value);
  assertAskedSize(kind.catalogue.field(name), { after: checked });
  return checked;
};

/**
 * Refuses members that a POST may not have.
 * @param minor the negotiated microversion
 * @throws BadRequestError; NotAcceptableError when a field is newer than the version
 */
export const assertCreatable = (
  { what, field: fieldOf }: ResourceCatalogue,
  names: readonly string[],
  minor: number,
): void => {
  const unknown = names.find((name) => name !== 'uuid' && fieldOf(name)?.writable !== true);
  if (unknown !== undefined) throw unexpectedMember(what, unknown);
  if (names.some((name) => (fieldOf(name)?.since ?? 0) > minor)) throw new NotAcceptableError();
};

const assertComplete = ({ catalogue, what }: AnyKind, body: Values): void => {
  const lacking = catalogue.fields.find(
    ({ name, required }) => required && (body[name] ?? null) === null,
  );
  if (lacking !== undefined)
    throw new BadRequestError(`Schema error for ${what}: '${lacking.name}' is a required property`);
};

// From here on a body may name the node of a port or port group instead of giving its uuid.
const NODE_NAMES_SINCE = 94;

const mayBeName = ({ section }: AnyKind, field: string, minor: number): boolean =>
  field === 'node_uuid' &&
  minor >= NODE_NAMES_SINCE &&
  (section === 'ports' || section === 'portgroups');

/**
 * The fields of a POST body, checked and completed. A node that is named instead of given by its uuid is left as it is.
 * @param minor the negotiated microversion
 * @throws BadRequestError; NotAcceptableError when a field is newer than the version
 */
export const createdValues = (kind: AnyKind, body: Values, minor: number): Values => {
  assertCreatable(kind.catalogue, Object.keys(body), minor);
  assertComplete(kind, body);
  const values = Object.entries(body).map(([name, value]): [string, unknown] => [
    name,
    mayBeName(kind, name, minor) && uuidIn(value) === undefined && typeof value === 'string'
      ? value
      : checkedInput(kind, name, value),
  ]);
  const whole = { ...initialValues(kind), ...Object.fromEntries(values) };
  kind.assertWhole(whole);
  return whole;
};

const fieldNamed = (kind: AnyKind, name: string): ResourceField | undefined =>
  kind.catalogue.field(name);

const assertOperation = (kind: AnyKind, operation: PatchOperation): void => {
  const { op, field, below, value } = operation;
  const known = fieldNamed(kind, field);
  const isCleared = below.length === 0 && (op === 'remove' || value === null);
  if (isCleared && known?.required === true)
    throw new BadRequestError(`'/${field}' is a mandatory attribute and can not be removed`);
  // A part of a list is judged with the whole list, once it is in its place.
  const isWhole = below.length === 0 || known?.kind === 'object';
  if (op !== 'remove' && isWhole) checkedInput(kind, field, valueInPlace(operation));
};

/**
 * A PATCH body, checked without looking at the record: 400 and 406 must not depend on what is stored.
 * @param minor the negotiated microversion
 * @throws BadRequestError; NotAcceptableError when a field is newer than the version
 */
export const parsedPatch = (
  kind: AnyKind,
  body: unknown,
  minor: number,
): readonly PatchOperation[] => {
  const { fields, field: fieldOf } = kind.catalogue;
  const operations = parse(JsonPatch, body, 'patch').map((operation) =>
    patchOperation(operation, fieldOf, fields, (name) => fieldOf(name)?.writable === true),
  );
  if (operations.some(({ field }) => (fieldNamed(kind, field)?.since ?? 0) > minor))
    throw new NotAcceptableError();
  for (const operation of operations) assertOperation(kind, operation);
  return operations;
};

/**
 * A record's fields with all operations applied, or none.
 * @throws BadRequestError
 */
export const patchedValues = <R extends Values>(
  kind: AnyKind,
  record: R,
  operations: readonly PatchOperation[],
): R => {
  const asked = patchedFields(
    record,
    operations,
    (name) => fieldNamed(kind, name)?.initial ?? null,
  );
  const checked = [...asked].map(([name, value]): [string, unknown] => {
    const after = kind.checkedValue(name, value);
    assertAskedSize(fieldNamed(kind, name), { before: record[name], after });
    return [name, after];
  });
  const after = { ...record, ...Object.fromEntries(checked) };
  kind.assertWhole(after);
  return after;
};
