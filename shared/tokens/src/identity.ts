import { type Subject } from '@tenure/contracts';

/** An access rule of an application credential; an empty list of rules allows nothing. */
export interface AccessRule {
  readonly method: string;
  readonly path: string;
  readonly service: string;
}

/** Members of a Keystone token that a revocation event may match, besides those that every token has. */
export interface KeystoneFacts {
  readonly role_ids: readonly string[];
  /** The domain of the user. */
  readonly user_domain_id: string | null;
  /** The domain of the project, or the domain that is the scope. */
  readonly scope_domain_id: string | null;
  readonly trust_id: string | null;
  /** The user; for a token from a trust also trustor and trustee. */
  readonly user_ids: readonly string[];
  readonly consumer_id: string | null;
  readonly access_token_id: string | null;
}

/** The verified identity of a caller, its expiry, and the facts by which it may be revoked. Times are seconds since the epoch. */
export interface Identity {
  readonly subject: Subject;
  readonly expiresAt: number;
  readonly issuedAt: number;
  /** The id of the token first; then that of the token from which it was created, if any. */
  readonly auditIds: readonly string[];
  readonly accessRules: readonly AccessRule[] | null;
  readonly keystone: KeystoneFacts | null;
}
