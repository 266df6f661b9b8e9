import { type Subject } from '@tenure/contracts';
import { tooManyRequests } from './key-limit.js';
import { type PermitBatches } from './permit-batches.js';
import { type MemoryPermits } from './permits-memory.js';

export interface IdentityLimitOptions {
  /** Permits of this process. They are always spent, so that the limit holds without the shared permits or if those are tampered with. */
  readonly local: MemoryPermits;
  /** Permits of all replicas together; undefined where this is the only one. */
  readonly shared: PermitBatches | undefined;
  /** Called for each refused request, with the limit that refused it. */
  readonly onLimited: (by: 'identity' | 'shared_identity') => void;
}

/**
 * A limit for each user or service account, over all its projects and tokens.
 * @returns a check that throws or rejects with AppError 429 when the user has used up its permits; it rarely returns a promise
 */
export function createIdentityLimit({
  local,
  shared,
  onLimited,
}: IdentityLimitOptions): (subject: Subject) => void | Promise<void> {
  const check = (isWithin: boolean, by: 'identity' | 'shared_identity'): void => {
    if (isWithin) return;
    onLimited(by);
    throw tooManyRequests();
  };
  return ({ user_id }) => {
    check(local.takeNow(user_id, 1) === 1, 'identity');
    const spent = shared?.spend(user_id) ?? true;
    if (spent instanceof Promise)
      return spent.then((isWithin) => {
        check(isWithin, 'shared_identity');
      });
    check(spent, 'shared_identity');
    return undefined;
  };
}
