import {
  AccessDeniedError,
  type Condition,
  ConflictError,
  type ContextClaims,
  type ServerRecord,
} from '@tenure/contracts';

/**
 * Refuses what the policy allowed for a server only while it is not locked. Judged of the very record that is written over.
 * @throws ConflictError `instance_locked`; AccessDeniedError for unlocking what an administrator has locked
 */
export function assertUnlocked(
  server: ServerRecord,
  { action, obligations: { conditions = [] } }: Pick<ContextClaims, 'action' | 'obligations'>,
): void {
  const violated = conditions.find((condition) => !holds(server, condition));
  if (violated === undefined) return;
  // The action that would bypass the lock is a part of the requested one: then it is denied, and not a conflict.
  if (violated.action.startsWith(`${action}:`)) throw new AccessDeniedError(violated.action);
  throw new ConflictError('instance_locked', `Instance ${server.uuid} is locked`);
}

/** A condition that cannot be evaluated does not hold. */
const holds = (server: ServerRecord, condition: Condition): boolean =>
  condition.field === 'locked_by' &&
  (condition.op === 'null' ? server.locked_by === null : server.locked_by !== condition.value);
