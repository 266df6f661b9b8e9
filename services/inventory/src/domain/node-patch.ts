import {
  BadRequestError,
  JsonPatch,
  NODE_FIELDS,
  nodeField,
  type NodeRecord,
  NotAcceptableError,
  parse,
  segmentsOf,
} from '@tenure/contracts';
import { initialValueOf } from './node-record.js';
import { checkedInput, checkedValue } from './node-values.js';

/** One operation, with its path taken apart: the field, and what is below it. */
export interface PatchOperation {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path: string;
  readonly field: string;
  readonly below: readonly string[];
  readonly value: unknown;
}

const WRITABLE = NODE_FIELDS.filter(({ writable }) => writable)
  .map(({ name }) => name)
  .sort();

const cannotPatch = (path: string): BadRequestError =>
  new BadRequestError(
    path.split('/')[1] === 'traits'
      ? 'Cannot update node traits via node patch. Node traits should be updated via the node traits API.'
      : `Cannot patch ${path.slice(0, 255)}. Only the following can be updated: ${WRITABLE.join(', ')}`,
  );

const MAX_DEPTH = 60;

const assertReachable = (field: string, below: readonly string[], path: string): void => {
  if (below.length > 0 && nodeField(field)?.kind !== 'object')
    throw new BadRequestError(`${field} has no members to patch: ${path.slice(0, 255)}`);
  if (below.length > MAX_DEPTH || below.includes('__proto__'))
    throw new BadRequestError(`Cannot patch ${path.slice(0, 255)}.`);
};

const operationOf = ({ op, path, value }: JsonPatch[number]): PatchOperation => {
  const [field, ...below] = segmentsOf(path) ?? [];
  if (field === undefined || nodeField(field)?.writable !== true) throw cannotPatch(path);
  assertReachable(field, below, path);
  if (op !== 'remove' && value === undefined)
    throw new BadRequestError(`'value' is missing for ${op} ${path.slice(0, 255)}.`);
  return { op, path, field, below, value };
};

/** The value of an operation in its place in the field, so that its last name is seen too. */
const inPlace = ({ below, value }: PatchOperation): unknown =>
  below.reduceRight<unknown>((member, name) => ({ [name]: member }), value);

/**
 * A PATCH body, checked without looking at the node: 400 and 406 must not depend on what is stored.
 * @param minor the negotiated microversion
 * @throws BadRequestError; NotAcceptableError when a field is newer than the version
 */
export const parsePatch = (body: unknown, minor: number): readonly PatchOperation[] => {
  const operations = parse(JsonPatch, body, 'patch').map(operationOf);
  for (const operation of operations) {
    if ((nodeField(operation.field)?.since ?? 0) > minor) throw new NotAcceptableError();
    if (operation.op !== 'remove') checkedInput(operation.field, inPlace(operation));
  }
  return operations;
};

const failed = ({ op, path }: PatchOperation, why: string): BadRequestError =>
  new BadRequestError(`Couldn't apply patch: ${op} ${path.slice(0, 255)}: ${why}`);

const arrayIndex = (list: readonly unknown[], token: string, operation: PatchOperation): number => {
  if (operation.op === 'add' && token === '-') return list.length;
  const index = /^(?:0|[1-9][0-9]{0,6})$/u.test(token) ? Number(token) : Number.NaN;
  const last = operation.op === 'add' ? list.length : list.length - 1;
  if (Number.isNaN(index) || index > last) throw failed(operation, 'there is no such element');
  return index;
};

const patchedList = (
  list: readonly unknown[],
  path: readonly string[],
  operation: PatchOperation,
): unknown[] => {
  const [token = '', ...rest] = path;
  const index = arrayIndex(
    list,
    token,
    rest.length > 0 ? { ...operation, op: 'replace' } : operation,
  );
  if (rest.length > 0) return list.with(index, patched(list[index], rest, operation));
  if (operation.op === 'remove') return list.toSpliced(index, 1);
  return operation.op === 'add'
    ? list.toSpliced(index, 0, operation.value)
    : list.with(index, operation.value);
};

const patchedMembers = (
  members: object,
  path: readonly string[],
  operation: PatchOperation,
): unknown => {
  const [name = '', ...rest] = path;
  const entries = new Map<string, unknown>(Object.entries(members));
  if (!entries.has(name) && (rest.length > 0 || operation.op !== 'add'))
    throw failed(operation, 'there is no such member');
  if (rest.length > 0) entries.set(name, patched(entries.get(name), rest, operation));
  else if (operation.op === 'remove') entries.delete(name);
  else entries.set(name, operation.value);
  return Object.fromEntries(entries);
};

const patched = (target: unknown, path: readonly string[], operation: PatchOperation): unknown => {
  if (Array.isArray(target)) return patchedList(target, path, operation);
  if (typeof target === 'object' && target !== null) return patchedMembers(target, path, operation);
  throw failed(operation, 'there is nothing below this value');
};

const applied = (current: unknown, operation: PatchOperation): unknown => {
  if (operation.below.length > 0) return patched(current, operation.below, operation);
  return operation.op === 'remove' ? initialValueOf(operation.field) : operation.value;
};

/**
 * The node with all operations applied, or none: they are checked on a copy.
 * Removing a field resets it to its initial value.
 * @throws BadRequestError
 */
export const applyPatch = (node: NodeRecord, operations: readonly PatchOperation[]): NodeRecord => {
  const values = new Map<string, unknown>();
  for (const operation of operations) {
    const current = values.has(operation.field)
      ? values.get(operation.field)
      : node[operation.field];
    values.set(operation.field, applied(current, operation));
  }
  const checked = [...values].map(([field, value]): [string, unknown] => [
    field,
    checkedValue(field, value),
  ]);
  return { ...node, ...Object.fromEntries(checked) };
};
