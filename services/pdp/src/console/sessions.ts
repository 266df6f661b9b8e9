import { hash, randomBytes } from 'node:crypto';
import { type Session, type Sessions } from '../ports/sessions.js';

const SECRET_BYTES = 32;
const MAX_SESSIONS = 256;

/** What names a session in its cookie. */
export const newSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');

/** What a session is kept under, so that neither a dump of memory nor a look into Redis opens one. */
export const digestOf = (secret: string): string => hash('sha256', secret, 'base64url');

/** Sessions in the memory of this process, for the only replica. The oldest goes when there are too many. */
export function createSessions(now: () => number): Sessions {
  const held = new Map<string, Session>();
  return {
    open: (session) => {
      for (const [digest, { expiresAt }] of held) if (expiresAt <= now()) held.delete(digest);
      const [oldest] = held.keys();
      if (held.size >= MAX_SESSIONS && oldest !== undefined) held.delete(oldest);
      const secret = newSecret();
      held.set(digestOf(secret), session);
      return Promise.resolve(secret);
    },
    of: (secret) => {
      const session = held.get(digestOf(secret));
      return Promise.resolve(
        session !== undefined && session.expiresAt > now() ? session : undefined,
      );
    },
    close: (secret) => {
      held.delete(digestOf(secret));
      return Promise.resolve();
    },
  };
}
