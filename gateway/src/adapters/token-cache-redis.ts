import { Type } from '@sinclair/typebox';
import { matches, Subject } from '@tenure/contracts';
import { type Redis, type Seal } from '@tenure/shared-state';
import { type CachedToken, type TokenCache } from '../ports/token-cache.js';

const Text = Type.String();
const NullableText = Type.Union([Text, Type.Null()]);

/** The form of an entry in Redis. An entry of another release in another form counts as missing. */
const Entry = Type.Object(
  {
    validatedAt: Type.Integer(),
    identity: Type.Union([
      Type.Null(),
      Type.Object(
        {
          subject: Subject,
          expiresAt: Type.Number(),
          issuedAt: Type.Number(),
          auditIds: Type.Array(Text),
          accessRules: Type.Union([
            Type.Array(Type.Object({ method: Text, path: Text, service: Text })),
            Type.Null(),
          ]),
          keystone: Type.Union([
            Type.Object(
              {
                role_ids: Type.Array(Text),
                user_domain_id: NullableText,
                scope_domain_id: NullableText,
                trust_id: NullableText,
                user_ids: Type.Array(Text),
                consumer_id: NullableText,
                access_token_id: NullableText,
              },
              { additionalProperties: false },
            ),
            Type.Null(),
          ]),
        },
        { additionalProperties: false },
      ),
    ]),
  },
  { additionalProperties: false },
) satisfies { static: CachedToken };

const PURPOSE = 'token';

/**
 * A cache that replicas share. Entries contain a MAC that also covers their name, so an entry that was forged, changed or moved
 * counts as missing.
 */
export const createRedisTokenCache = (redis: Redis, seal: Seal): TokenCache => ({
  get: async (name) => {
    const text = await redis.get(keyOf(name));
    const entry = text === null ? undefined : seal.open(PURPOSE, name, text);
    return matches(Entry, entry) ? entry : undefined;
  },
  put: async (name, token, ttlMs) => {
    if (ttlMs >= 1)
      await redis.set(keyOf(name), seal.seal(PURPOSE, name, token), 'PX', Math.floor(ttlMs));
  },
});

const keyOf = (name: string): string => `tenure:token:${name}`;
