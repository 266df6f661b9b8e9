import { type Subject } from '@tenure/contracts';

/** The session of a logged-in user. */
export interface Session {
  readonly subject: Subject;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Sessions of the console. Each function throws UnavailableError when they cannot be read or written. */
export interface Sessions {
  /** @returns the secret that names the session */
  readonly open: (session: Session) => Promise<string>;
  readonly of: (secret: string) => Promise<Session | undefined>;
  readonly close: (secret: string) => Promise<void>;
}
