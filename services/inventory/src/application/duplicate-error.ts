import { ConflictError } from '@tenure/contracts';
import { type AnyKind, type Values } from '../domain/kinds/resource-kind.js';
import { DuplicateValueError } from '../ports/record-store.js';

/** Converts the error for a value that another record has to 409 `duplicate`. Other errors stay. */
export const duplicateError = (error: unknown, kind: AnyKind, values: Values): unknown =>
  error instanceof DuplicateValueError
    ? new ConflictError('duplicate', kind.duplicate(error.field, values), { cause: error })
    : error;
