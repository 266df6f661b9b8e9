import { UnauthorizedError } from '@tenure/contracts';

/** A 401 never tells the caller why the token was bad: that goes into the audit line as `cause`, without the token. */
export const unauthorized = (cause: string): UnauthorizedError =>
  new UnauthorizedError(undefined, { cause });
