import { hash, randomBytes } from 'node:crypto';
import { type Subject } from '@tenure/contracts';

/** Somebody who is logged in. */
export interface Session {
  readonly subject: Subject;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** The policy that let them in, and when it was asked: it is asked again when either is old. */
  allowedBy: string;
  allowedAt: number;
}

/** Who is logged in, in the memory of this process alone. */
export interface Sessions {
  /** @returns the secret that names the session */
  readonly open: (session: Session) => string;
  readonly of: (secret: string) => Session | undefined;
  readonly close: (secret: string) => void;
}

const SECRET_BYTES = 32;
const MAX_SESSIONS = 256;

/** Sessions by the digest of their secret, so that a dump of memory opens none. The oldest goes when there are too many. */
export const createSessions = (now: () => number): Sessions => {
  const held = new Map<string, Session>();
  const digestOf = (secret: string): string => hash('sha256', secret, 'base64url');
  return {
    open: (session) => {
      for (const [digest, { expiresAt }] of held) if (expiresAt <= now()) held.delete(digest);
      const [oldest] = held.keys();
      if (held.size >= MAX_SESSIONS && oldest !== undefined) held.delete(oldest);
      const secret = randomBytes(SECRET_BYTES).toString('base64url');
      held.set(digestOf(secret), session);
      return secret;
    },
    of: (secret) => {
      const session = held.get(digestOf(secret));
      return session !== undefined && session.expiresAt > now() ? session : undefined;
    },
    close: (secret) => {
      held.delete(digestOf(secret));
    },
  };
};
