import { type Identity } from '@tenure/tokens';

/**
 * One revocation: it revokes every token that matches all members present and was issued no later than
 * `issuedBefore`. Times are seconds since the epoch.
 */
export interface RevocationEvent {
  readonly issuedBefore: number;
  readonly token_sha256?: string;
  readonly audit_id?: string;
  /** The audit id of the token from which a token was created. */
  readonly audit_chain_id?: string;
  readonly user_id?: string;
  readonly project_id?: string;
  /** The domain of the user, or of the scope. */
  readonly domain_id?: string;
  /** The domain of the scope alone. */
  readonly domain_scope_id?: string;
  readonly role_id?: string;
  readonly trust_id?: string;
  readonly consumer_id?: string;
  readonly access_token_id?: string;
  /** Revokes only tokens that expire in this very second. */
  readonly expiresAt?: number;
}

/** Revocations since a time, and Keystone's own clock (seconds since the epoch) when it answered. */
interface RevocationPage {
  readonly events: readonly RevocationEvent[];
  readonly asOf: number;
}

/** Keystone, called with the gateway's own credential. */
export interface Keystone {
  /**
   * @param allowExpired accepts an expired token as well, for as long as Keystone allows
   * @returns undefined when Keystone finds no such token, or it is expired or revoked
   * @throws UnavailableError when Keystone gave no reliable answer in time
   */
  readonly validate: (token: string, allowExpired: boolean) => Promise<Identity | undefined>;
  /**
   * @param since seconds since the epoch
   * @throws UnavailableError
   */
  readonly revocations: (since: number) => Promise<RevocationPage>;
  /** True for a moment after several calls in a row failed; then callers should not try (circuit breaker). */
  readonly isDown: () => boolean;
  readonly close: () => Promise<void>;
}
