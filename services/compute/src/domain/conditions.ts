import {
  AccessDeniedError,
  type Condition,
  ConflictError,
  type ContextClaims,
  type ServerRecord,
} from '@tenure/contracts';

/** What lifts a lock is not forbidden by it, but needs another right for a lock of somebody else. */
const UNLOCK = 'os_compute_api:os-lock-server:unlock';

/** A condition that cannot be judged is not met. */
const holds = (server: ServerRecord, { field, value }: Condition): boolean =>
  field === 'locked_by' && server.locked_by !== value;

/**
 * Refuses what the policy allowed for a server only while it is not locked. Judged of the very record that is written over.
 * @throws ConflictError `instance_locked`; AccessDeniedError for unlocking what an administrator has locked
 */
export const assertUnlocked = (
  server: ServerRecord,
  { action, obligations: { conditions = [] } }: Pick<ContextClaims, 'action' | 'obligations'>,
): void => {
  const violated = conditions.find((condition) => !holds(server, condition));
  if (violated === undefined) return;
  if (action === UNLOCK) throw new AccessDeniedError(violated.action);
  throw new ConflictError('instance_locked', `Instance ${server.uuid} is locked`);
};
