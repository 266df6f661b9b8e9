import {
  AccessDeniedError,
  type Condition,
  ConflictError,
  type Obligations,
  type ServerRecord,
} from '@tenure/contracts';

const UNLOCK_OVERRIDE = ':unlock_override';

/** A condition that cannot be judged is not met. */
const holds = (server: ServerRecord, { field, value }: Condition): boolean =>
  field === 'locked_by' && server.locked_by !== value;

/**
 * Refuses what the policy allowed for a server only while it is not locked. Judged of the very record that is written over.
 * @throws ConflictError `instance_locked`; AccessDeniedError for unlocking what an administrator has locked
 */
export const assertUnlocked = (
  server: ServerRecord,
  { conditions = [] }: Pick<Obligations, 'conditions'>,
): void => {
  const violated = conditions.find((condition) => !holds(server, condition));
  if (violated === undefined) return;
  if (violated.action.endsWith(UNLOCK_OVERRIDE)) throw new AccessDeniedError(violated.action);
  throw new ConflictError('instance_locked', `Instance ${server.uuid} is locked`);
};
