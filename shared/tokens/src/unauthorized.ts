import { UnauthorizedError } from '@tenure/contracts';

/** Creates a 401. The caller does not get the reason; it goes into the audit line as `cause`, without the token. */
export const unauthorized = (cause: string): UnauthorizedError =>
  new UnauthorizedError(undefined, { cause });
