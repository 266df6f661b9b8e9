import { hash, randomBytes } from 'node:crypto';
import { type Session, type Sessions } from '../ports/sessions.js';

const SECRET_BYTES = 32;
const MAX_SESSIONS = 256;

/** A new secret for the cookie of a session. */
export const newSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');

/** The key of a stored session: a digest, so that a dump of memory or of Redis contains no secret. */
export const digestOf = (secret: string): string => hash('sha256', secret, 'base64url');

/** Sessions in the memory of this process, for the only replica. The oldest is removed when there are too many. */
export function createSessions(now: () => number): Sessions {
  const sessions = new Map<string, Session>();
  return {
    open: (session) => {
      for (const [digest, { expiresAt }] of sessions)
        if (expiresAt <= now()) sessions.delete(digest);
      const [oldest] = sessions.keys();
      if (sessions.size >= MAX_SESSIONS && oldest !== undefined) sessions.delete(oldest);
      const secret = newSecret();
      sessions.set(digestOf(secret), session);
      return Promise.resolve(secret);
    },
    of: (secret) => {
      const session = sessions.get(digestOf(secret));
      return Promise.resolve(
        session !== undefined && session.expiresAt > now() ? session : undefined,
      );
    },
    close: (secret) => {
      sessions.delete(digestOf(secret));
      return Promise.resolve();
    },
  };
}
