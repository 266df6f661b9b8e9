import {
  BadRequestError,
  createOwnCopies,
  fieldOf,
  type JsonPatch,
  type OwnCopies,
  putMember,
  type ResourceField,
  segmentsOf,
} from '@tenure/contracts';

/** One operation, with its path taken apart: the field, and what is below it. */
export interface PatchOperation {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path: string;
  readonly field: string;
  readonly below: readonly string[];
  readonly value: unknown;
}

type FieldOf = (name: string) => ResourceField | undefined;

const MAX_DEPTH = 60;

/** Maximum number of list elements that all operations together may shift. */
const MAX_MOVES = 4_000_000;

/** Operations that are applied one after the other to the same copies. */
interface Change {
  readonly operation: PatchOperation;
  readonly copies: OwnCopies;
  readonly moves: { left: number };
}

/**
 * An operation whose path names a field that may be patched.
 * @param isPatchable whether a patch may name the field
 * @throws BadRequestError
 */
export function patchOperation(
  { op, path, value }: JsonPatch[number],
  fieldOf: FieldOf,
  fields: readonly ResourceField[],
  isPatchable: (field: string) => boolean,
): PatchOperation {
  const [field, ...below] = segmentsOf(path) ?? [];
  if (field === undefined || !isPatchable(field)) throw cannotPatch(path, fields);
  const operation = { op, path, field, below, value };
  if (fieldOf(field)?.writable === true) assertReachable(fieldOf, operation);
  if (op !== 'remove' && value === undefined)
    throw new BadRequestError(`'value' is missing for ${op} ${path.slice(0, 255)}.`);
  return operation;
}

/** The value of an operation in its place in an object field, so that its last name is checked too. */
export const valueInPlace = ({ below, value }: PatchOperation): unknown =>
  below.reduceRight<unknown>((member, name) => ({ [name]: member }), value);

/**
 * The fields that operations change, with their requested values; a field that is removed gets its initial value.
 * Neither the record nor the operations' values are modified. The work is linear in the sum of members and operations; the
 * number of shifted list elements is bounded.
 * @param copies where the changed parts are copied to
 * @throws BadRequestError
 */
export function patchedFields(
  record: object,
  operations: readonly PatchOperation[],
  initialOf: (field: string) => unknown,
  copies: OwnCopies = createOwnCopies(),
): ReadonlyMap<string, unknown> {
  const values = new Map<string, unknown>();
  const moves = { left: MAX_MOVES };
  for (const operation of operations) {
    const { field, below, op, value } = operation;
    const current = values.has(field) ? values.get(field) : fieldOf(record, field);
    if (below.length > 0) values.set(field, patched(current, below, { operation, copies, moves }));
    else values.set(field, op === 'remove' ? initialOf(field) : value);
  }
  return values;
}

/** 400 for a path that no patch may name. */
function cannotPatch(path: string, fields: readonly ResourceField[]): BadRequestError {
  const writable = fields.filter((field) => field.writable).map(({ name }) => name);
  return new BadRequestError(
    `Cannot patch ${path.slice(0, 255)}. Only the following can be updated: ${writable.sort().join(', ')}`,
  );
}

function assertReachable(fieldOf: FieldOf, { field, below, path }: PatchOperation): void {
  const kind = fieldOf(field)?.kind;
  if (below.length > 0 && kind !== 'object' && kind !== 'object_list')
    throw new BadRequestError(`${field} has no members to patch: ${path.slice(0, 255)}`);
  if (below.length > MAX_DEPTH || below.includes('__proto__'))
    throw new BadRequestError(`Cannot patch ${path.slice(0, 255)}.`);
}

function patched(target: unknown, path: readonly string[], change: Change): unknown {
  if (Array.isArray(target)) return patchedList(target, path, change);
  if (typeof target === 'object' && target !== null) return patchedMembers(target, path, change);
  throw failed(change.operation, 'there is nothing below this value');
}

function patchedList(list: readonly unknown[], path: readonly string[], change: Change): unknown[] {
  const { operation, copies } = change;
  const [token = '', ...rest] = path;
  const index = arrayIndex(
    list,
    token,
    rest.length > 0 ? { ...operation, op: 'replace' } : operation,
  );
  const copy = copies.list(list);
  if (rest.length > 0) copy[index] = patched(copy[index], rest, change);
  else if (operation.op === 'replace') copy[index] = operation.value;
  else {
    countMoves(change, copy.length - index);
    if (operation.op === 'remove') copy.splice(index, 1);
    else copy.splice(index, 0, operation.value);
  }
  return copy;
}

function patchedMembers(members: object, path: readonly string[], change: Change): unknown {
  const { operation, copies } = change;
  const [name = '', ...rest] = path;
  if (!Object.hasOwn(members, name) && (rest.length > 0 || operation.op !== 'add'))
    throw failed(operation, 'there is no such member');
  const copy = copies.members(members);
  if (rest.length > 0) putMember(copy, name, patched(copy[name], rest, change));
  else if (operation.op === 'remove') Reflect.deleteProperty(copy, name);
  else putMember(copy, name, operation.value);
  return copy;
}

const failed = ({ op, path }: PatchOperation, why: string): BadRequestError =>
  new BadRequestError(`Couldn't apply patch: ${op} ${path.slice(0, 255)}: ${why}`);

function arrayIndex(list: readonly unknown[], token: string, operation: PatchOperation): number {
  if (operation.op === 'add' && token === '-') return list.length;
  const index = /^(?:0|[1-9][0-9]{0,6})$/u.test(token) ? Number(token) : Number.NaN;
  const last = operation.op === 'add' ? list.length : list.length - 1;
  if (Number.isNaN(index) || index > last) throw failed(operation, 'there is no such element');
  return index;
}

/** An insertion or removal shifts all later elements: without a bound, the work is operations multiplied by elements. */
function countMoves({ moves, operation }: Change, moved: number): void {
  moves.left -= moved;
  if (moves.left < 0) throw failed(operation, 'too many list elements would move');
}
