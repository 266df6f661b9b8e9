import { type Subject } from '@tenure/contracts';
import { tooManyRequests } from './key-limit.js';
import { type Leases } from './leases.js';
import { type MemoryPermits } from './permits-memory.js';

export interface IdentityLimitOptions {
  /** Of this process; always taken, so that the limit holds without the shared one, and whoever empties that one gains little. */
  readonly local: MemoryPermits;
  /** Of all replicas together; undefined where this is the only one. */
  readonly shared: Leases | undefined;
  /** Told of each request that is refused, and by which limit. */
  readonly onLimited: (by: 'identity' | 'shared_identity') => void;
}

/**
 * A limit for each user, or service account, whatever the project and however many tokens.
 * @returns a check that throws or rejects with AppError 429 when the user has used up its share; a promise only rarely
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
