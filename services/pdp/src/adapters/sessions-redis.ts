import { type Static, Type } from '@sinclair/typebox';
import { matches, Subject, UnavailableError } from '@tenure/contracts';
import { type Redis, type Seal } from '@tenure/shared-state';
import { digestOf, newSecret } from '../console/sessions.js';
import { type Session, type Sessions } from '../ports/sessions.js';

const Entry = Type.Object({ subject: Subject, expiresAt: Type.Number() });
const PURPOSE = 'console-session';

/**
 * Sessions that replicas share in Redis, each with a MAC. There is no local copy, so that a logout at one replica counts at all
 * of them. While Redis is unavailable, no session is valid.
 */
export const createRedisSessions = (redis: Redis, seal: Seal, now: () => number): Sessions => ({
  open: async (session) => {
    const secret = newSecret();
    const digest = digestOf(secret);
    const text = seal.seal(PURPOSE, digest, session);
    const ms = Math.max(1, Math.floor(session.expiresAt - now()));
    await orUnavailable(() => redis.set(keyOf(digest), text, 'PX', ms));
    return secret;
  },
  of: async (secret): Promise<Session | undefined> => {
    const digest = digestOf(secret);
    const text = await orUnavailable(() => redis.get(keyOf(digest)));
    const entry = text === null ? undefined : entryIn(seal.open(PURPOSE, digest, text));
    return entry !== undefined && entry.expiresAt > now() ? entry : undefined;
  },
  close: async (secret) => {
    await orUnavailable(() => redis.del(keyOf(digestOf(secret))));
  },
});

async function orUnavailable<T>(use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    throw new UnavailableError('Sessions cannot be looked up just now; try again.', {
      cause: error,
    });
  }
}

const keyOf = (digest: string): string => `tenure:console:session:${digest}`;

const entryIn = (value: unknown): Static<typeof Entry> | undefined =>
  matches(Entry, value) ? value : undefined;
