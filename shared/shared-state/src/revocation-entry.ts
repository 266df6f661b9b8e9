import { type Static, Type } from '@sinclair/typebox';

const Id = Type.String({ minLength: 1, maxLength: 255 });
const Seconds = Type.Integer({ minimum: 0 });

/**
 * A revocation by `tenure token revoke`: it covers every token that matches all members of the entry and was issued no later
 * than `issued_before`. Times are seconds since the epoch.
 */
export const RevocationEntry = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 64 }),
    /** base64url of the SHA-256 of the token itself. */
    token_sha256: Type.Optional(Type.String({ minLength: 43, maxLength: 43 })),
    /** Audit id of a Keystone token, or `jti` of a JWT. */
    audit_id: Type.Optional(Id),
    user_id: Type.Optional(Id),
    project_id: Type.Optional(Id),
    issued_before: Seconds,
    /** When the entry may be removed: every token that it covers has expired by then. */
    until: Seconds,
  },
  { additionalProperties: false },
);
export type RevocationEntry = Static<typeof RevocationEntry>;
