import { type Subject } from '@tenure/contracts';

/** What an application credential may be used for; an empty list allows nothing. */
export interface AccessRule {
  readonly method: string;
  readonly path: string;
  readonly service: string;
}

/** What a revocation event of Keystone can name about a token besides what every token has. */
export interface KeystoneFacts {
  readonly role_ids: readonly string[];
  /** The domain of the user. */
  readonly user_domain_id: string | null;
  /** The domain of the project, or the domain that is the scope. */
  readonly scope_domain_id: string | null;
  readonly trust_id: string | null;
  /** The user, and of a token made from a trust also trustor and trustee. */
  readonly user_ids: readonly string[];
  readonly consumer_id: string | null;
  readonly access_token_id: string | null;
}

/** Who asks, until when that may be believed, and by what it may be revoked. Times are seconds since the epoch. */
export interface Identity {
  readonly subject: Subject;
  readonly expiresAt: number;
  readonly issuedAt: number;
  /** The token's own id first; then that of the token which it was made from, if any. */
  readonly auditIds: readonly string[];
  readonly accessRules: readonly AccessRule[] | null;
  readonly keystone: KeystoneFacts | null;
}
