import { type Identity } from '@tenure/tokens';

/** Users who log in with name and password, for clients that have no Keystone. */
export interface BasicUsers {
  /** @throws UnauthorizedError, or AppError 429 after too many failures */
  readonly identify: (
    user: string,
    password: string,
    address: string,
  ) => Identity | Promise<Identity>;
}
