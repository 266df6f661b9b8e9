import {
  BadRequestError,
  fieldOf,
  JsonPatch,
  NODE_FIELDS,
  nodeField,
  type NodeRecord,
  NotAcceptableError,
  parse,
} from '@tenure/contracts';
import { assertAskedSize } from './field-values.js';
import { initialValueOf } from './node-record.js';
import { assertNameFor, checkedInput, checkedValue, LARGE_FIELDS } from './node-values.js';
import {
  patchedFields,
  patchOperation,
  type PatchOperation,
  valueInPlace,
} from './patch-operations.js';

export { type PatchOperation } from './patch-operations.js';

const TRAITS = 'traits';

const operationOf = (operation: JsonPatch[number]): PatchOperation =>
  patchOperation(
    operation,
    nodeField,
    NODE_FIELDS,
    (field) => nodeField(field)?.writable === true || field === TRAITS,
  );

/**
 * A PATCH body, checked without looking at the node: 400 and 406 must not depend on what is stored. What may not be
 * patched at all goes before what is too new, and that before traits and values.
 * @param minor the negotiated microversion
 * @throws BadRequestError; NotAcceptableError when a field is newer than the version
 */
export const parsePatch = (body: unknown, minor: number): readonly PatchOperation[] => {
  const operations = parse(JsonPatch, body, 'patch').map(operationOf);
  if (operations.some(({ field }) => (nodeField(field)?.since ?? 0) > minor))
    throw new NotAcceptableError();
  if (operations.some(({ field }) => field === TRAITS))
    throw new BadRequestError(
      'Cannot update node traits via node patch. Node traits should be updated via the node traits API.',
    );
  for (const operation of operations) {
    if (operation.op === 'remove') continue;
    checkedInput(operation.field, valueInPlace(operation));
    if (operation.field === 'name') assertNameFor(minor, operation.value);
  }
  return operations;
};

const checkedNodeValue = (node: NodeRecord, field: string, value: unknown): unknown => {
  const after = checkedValue(field, value);
  assertAskedSize(nodeField(field), {
    before: fieldOf(node, field),
    after,
    isLarge: LARGE_FIELDS.has(field),
  });
  return after;
};

/**
 * The node with all operations applied, or none: they are checked on a copy.
 * Removing a field resets it to its initial value.
 * @throws BadRequestError
 */
export const applyPatch = (node: NodeRecord, operations: readonly PatchOperation[]): NodeRecord => {
  const values = patchedFields(node, operations, initialValueOf);
  const checked = [...values].map(([field, value]): [string, unknown] => [
    field,
    checkedNodeValue(node, field, value),
  ]);
  return { ...node, ...Object.fromEntries(checked) };
};
