import {
  type AllocationRecord,
  BadRequestError,
  createOwnCopies,
  JsonPatch,
  type OwnCopies,
  parse,
  putMember,
  segmentsOf,
} from '@tenure/contracts';
import { assertExtraSize, checkName } from './allocation-request.js';

type Patchable = Pick<AllocationRecord, 'name' | 'extra'>;
type Operation = JsonPatch[number];
type Members = Readonly<Record<string, unknown>>;

/** An operation, and the copies that those before it have changed. */
interface Change {
  readonly operation: Operation;
  readonly copies: OwnCopies;
}

/** @throws BadRequestError for what is not a JSON patch of `/name`, `/extra` or below `/extra` */
export function readAllocationPatch(body: unknown): JsonPatch {
  const patch = parse(JsonPatch, body, 'allocation patch');
  for (const { path } of patch) {
    const [field, ...rest] = segmentsOf(path) ?? [];
    if (field !== 'extra' && (field !== 'name' || rest.length > 0))
      throw new BadRequestError(
        `Cannot patch ${path}. Only the following can be updated: extra, name`,
      );
  }
  return patch;
}

/**
 * Name and extra after a patch (RFC 6902: add, replace, remove), all of it or nothing. Neither `current` nor the patch is
 * changed. The work grows with the sum of members and operations.
 * @param copies where the changed parts are copied to
 * @throws BadRequestError for a path or value that does not fit
 */
export function applyAllocationPatch(
  current: Patchable,
  patch: JsonPatch,
  copies: OwnCopies = createOwnCopies(),
): Patchable {
  const { name, extra } = current;
  const after = patch.reduce<Patchable>(
    (before, operation) => applyOne(before, { operation, copies }),
    { name, extra },
  );
  if (after.extra !== extra) assertExtraSize(after.extra, extra);
  return after;
}

function applyOne(current: Patchable, change: Change): Patchable {
  const { operation } = change;
  const [field, ...rest] = segmentsOf(operation.path) ?? [];
  if (field === 'name' && rest.length === 0) return { ...current, name: changeName(operation) };
  if (field === 'extra') return { ...current, extra: changeExtra(current.extra, rest, change) };
  throw new BadRequestError(
    `Cannot patch ${operation.path}. Only the following can be updated: extra, name`,
  );
}

function changeName(operation: Operation): string | null {
  if (operation.op === 'remove') return null;
  const value = valueOf(operation);
  if (value === null) return null;
  if (typeof value !== 'string') throw cannot(operation, 'a name is a string');
  return checkName(value);
}

function changeExtra(extra: Members, rest: readonly string[], change: Change): Members {
  const { operation } = change;
  if (rest.length > 0) return changeMembers(extra, rest, change);
  if (operation.op === 'remove') return {};
  const value = valueOf(operation);
  if (!isMembers(value)) throw cannot(operation, 'extra is an object');
  return value;
}

function valueOf(operation: Operation): unknown {
  if (operation.value === undefined) throw cannot(operation, 'a value is required');
  return operation.value;
}

const cannot = (operation: Operation, why: string): BadRequestError =>
  new BadRequestError(`Cannot ${operation.op} ${operation.path}: ${why}`);

function changeMembers(target: unknown, segments: readonly string[], change: Change): Members {
  const { operation, copies } = change;
  if (!isMembers(target)) throw cannot(operation, 'the path does not lead into an object');
  const [key, ...rest] = segments;
  if (key === undefined || key === '__proto__') throw cannot(operation, 'the path is not usable');
  const exists = Object.hasOwn(target, key);
  if (!exists && (rest.length > 0 || operation.op !== 'add'))
    throw cannot(operation, 'there is no such member');
  const copy = copies.members(target);
  if (rest.length > 0) putMember(copy, key, changeMembers(copy[key], rest, change));
  else if (operation.op === 'remove') Reflect.deleteProperty(copy, key);
  else putMember(copy, key, valueOf(operation));
  return copy;
}

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
