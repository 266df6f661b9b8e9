import { Type } from '@sinclair/typebox';
import { matches } from '@tenure/contracts';
import { type JsonHttp } from './json-http.js';

/** A part's own credential at Keystone. */
export type ServiceCredential =
  | {
      readonly kind: 'password';
      readonly username: string;
      readonly password: string;
      readonly userDomainId: string;
      readonly projectName: string;
      readonly projectDomainId: string;
    }
  | { readonly kind: 'application_credential'; readonly id: string; readonly secret: string };

/** Tokens of our own, good for asking Keystone and the services that it knows. */
export interface ServiceSession {
  /**
   * A token that is not about to expire; one login at a time.
   * @throws Error when Keystone gives none
   */
  readonly token: () => Promise<string>;
  /** Keystone refused this token: the next call logs in again. */
  readonly refused: (token: string) => void;
}

interface Session {
  readonly token: string;
  readonly renewAt: number;
}

/** Milliseconds before its end at which a token is renewed, at the latest. */
const RENEW_BEFORE_MS = 60_000;
/** Milliseconds after a failed login in which no other is tried. */
const RETRY_AFTER_MS = 1000;

const Time = Type.String({ minLength: 1, maxLength: 64 });
const LoginAnswer = Type.Object({ token: Type.Object({ issued_at: Time, expires_at: Time }) });

/**
 * Logs in when a token is first needed, before it expires, and when Keystone no longer takes it.
 * @param credential read at each login, so that it may be replaced; what it throws is a failed login
 */
export function createServiceSession(
  http: JsonHttp,
  credential: () => ServiceCredential,
): ServiceSession {
  let session: Session | undefined;
  let inFlight: Promise<Session> | undefined;
  let failure: { readonly error: unknown; readonly until: number } | undefined;

  const loginOnce = (): Promise<Session> => {
    if (failure !== undefined && performance.now() < failure.until)
      return Promise.reject(new Error('login failed a moment ago', { cause: failure.error }));
    inFlight ??= login(http, credential)
      .then(
        (fresh) => {
          failure = undefined;
          session = fresh;
          return fresh;
        },
        (error: unknown) => {
          failure = { error, until: performance.now() + RETRY_AFTER_MS };
          throw error;
        },
      )
      .finally(() => {
        inFlight = undefined;
      });
    return inFlight;
  };

  return {
    token: async () => {
      const cached = session;
      if (cached !== undefined && performance.now() < cached.renewAt) return cached.token;
      return (await loginOnce()).token;
    },
    refused: (token) => {
      if (session?.token === token) session = undefined;
    },
  };
}

async function login(http: JsonHttp, credential: () => ServiceCredential): Promise<Session> {
  const { status, headers, json } = await http.call({
    method: 'POST',
    path: '/auth/tokens?nocatalog',
    headers: {},
    body: { auth: authOf(credential()) },
  });
  if (status !== 201) throw new Error(`our own login at Keystone failed (${status})`);
  const token = headers['x-subject-token'];
  // From Keystone's two times, so that a clock of ours that is wrong does not make us log in again and again.
  const life = matches(LoginAnswer, json)
    ? Date.parse(json.token.expires_at) - Date.parse(json.token.issued_at)
    : Number.NaN;
  if (typeof token !== 'string' || token === '' || Number.isNaN(life))
    throw new Error("Keystone's answer to our own login is malformed");
  return { token, renewAt: performance.now() + life - Math.min(RENEW_BEFORE_MS, life / 5) };
}

const authOf = (credential: ServiceCredential): unknown =>
  credential.kind === 'password'
    ? {
        identity: {
          methods: ['password'],
          password: {
            user: {
              name: credential.username,
              domain: { id: credential.userDomainId },
              password: credential.password,
            },
          },
        },
        scope: {
          project: { name: credential.projectName, domain: { id: credential.projectDomainId } },
        },
      }
    : {
        identity: {
          methods: ['application_credential'],
          application_credential: { id: credential.id, secret: credential.secret },
        },
      };
