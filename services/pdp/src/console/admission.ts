import { hash } from 'node:crypto';
import { type IncomingMessage } from 'node:http';
import { AccessDeniedError, AppError, type DecisionAnswer, type Subject } from '@tenure/contracts';
import { type ClientAddress, type ClientAddressOf } from '@tenure/http';
import { type Identity, type IssuerTokens, parseJwt, unauthorized } from '@tenure/tokens';
import { type DecisionPoint } from '../application/decision-point.js';
import { type Sessions } from '../ports/sessions.js';
import { type FailedLogins } from './failed-logins.js';
import { digestOf } from './sessions.js';

/** A user whom the policy allows to read decisions. */
export interface Viewer {
  readonly subject: Subject;
  /** The secret of the session; undefined for a token in a header. */
  readonly secret: string | undefined;
}

export interface AdmissionOptions {
  readonly tokens: IssuerTokens;
  readonly point: Pick<DecisionPoint, 'answer' | 'revision'>;
  readonly sessions: Sessions;
  readonly clientAddressOf: ClientAddressOf;
  readonly failures: FailedLogins;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export interface Admission {
  /**
   * Opens a session for the bearer of a token.
   * @throws UnauthorizedError, AccessDeniedError when the policy refuses, AppError 429 after too many failures
   */
  readonly login: (
    request: IncomingMessage,
    token: string,
  ) => Promise<{ secret: string; seconds: number }>;
  /**
   * The caller, authenticated by a session or by a token in a header.
   * @throws UnauthorizedError when neither is valid, AccessDeniedError when the policy refuses
   */
  readonly viewerOf: (request: IncomingMessage) => Promise<Viewer>;
  /** @throws UnavailableError when the session may still exist */
  readonly logout: (viewer: Viewer) => Promise<void>;
}

const ACTION = 'tenure:audit:read';
const SESSION_MS = 30 * 60_000;
/** Time after which the policy decides on a session again, unless the policy changed before. */
const ALLOWED_MS = 60_000;
const MAX_ALLOWED = 1024;
const BEARER = /^Bearer +(\S+)$/iu;
export const COOKIE = 'tenure_console';
const COOKIE_VALUE = new RegExp(`(?:^|;\\s*)${COOKIE}=([A-Za-z0-9_-]{43})(?:;|$)`, 'u');

/** Authenticates callers by their tokens, and lets the policy authorize them. */
export function createAdmission(options: AdmissionOptions): Admission {
  const { point, sessions, now } = options;
  /** By the digests of sessions' secrets; each replica asks its own policy. */
  const allowed = new Map<string, { readonly by: string; readonly at: number }>();

  const noteAllowed = (secret: string, by: string): void => {
    const digest = digestOf(secret);
    allowed.delete(digest);
    const [oldest] = allowed.keys();
    if (allowed.size >= MAX_ALLOWED && oldest !== undefined) allowed.delete(oldest);
    allowed.set(digest, { by, at: now() });
  };

  const stillAllowed = async (
    request: IncomingMessage,
    secret: string,
    subject: Subject,
  ): Promise<void> => {
    const revision = point.revision();
    const last = allowed.get(digestOf(secret));
    if (last?.by === revision && now() - last.at < ALLOWED_MS) return;
    await mayRead(options, request, subject);
    noteAllowed(secret, revision);
  };

  return {
    login: async (request, token) => {
      const { subject, expiresAt } = await identify(options, request, token);
      const allowedBy = point.revision();
      await mayRead(options, request, subject);
      const begins = now();
      const until = Math.min(begins + SESSION_MS, expiresAt * 1000);
      const secret = await sessions.open({ subject, expiresAt: until });
      noteAllowed(secret, allowedBy);
      return { secret, seconds: Math.max(1, Math.floor((until - begins) / 1000)) };
    },
    viewerOf: async (request) => {
      const token = tokenIn(request);
      if (token !== undefined) {
        const { subject } = await identify(options, request, token);
        await mayRead(options, request, subject);
        return { subject, secret: undefined };
      }
      const secret = secretIn(request);
      const session = secret === undefined ? undefined : await sessions.of(secret);
      if (secret === undefined || session === undefined) throw unauthorized('no session');
      await stillAllowed(request, secret, session.subject);
      return { subject: session.subject, secret };
    },
    logout: async ({ secret }) => {
      if (secret !== undefined) await sessions.close(secret);
    },
  };
}

/** Lets the policy decide, and waits for the record. @throws AccessDeniedError when it refuses */
async function mayRead(
  { point, now, clientAddressOf }: AdmissionOptions,
  request: IncomingMessage,
  subject: Subject,
): Promise<void> {
  const { body, logged } = point.answer({
    entrypoint: 'decision',
    input: {
      action: ACTION,
      subject,
      resource: { type: 'none', owner: null, lessee: null, tenancy_revision: 0 },
      now: new Date(now()).toISOString(),
    },
    requestedBy: requestedBy(clientAddressOf(request)),
    requestId: undefined,
    startedAt: performance.now(),
  });
  await logged;
  const { result } = JSON.parse(body) as DecisionAnswer; // our own answer
  if (!result.allow) throw new AccessDeniedError(ACTION);
}

async function identify(
  { tokens, failures, clientAddressOf }: AdmissionOptions,
  request: IncomingMessage,
  token: string,
): Promise<Identity> {
  const { network } = clientAddressOf(request);
  const wait = await failures.waitFor(network);
  if (wait > 0)
    throw new AppError('too_many_requests', 429, 'Too many logins failed; wait a while.', {
      headers: { 'Retry-After': String(wait) },
    });
  try {
    const digest = hash('sha256', token, 'base64url');
    return tokens.recall(digest) ?? (await tokens.verify(parseJwt(token), digest));
  } catch (error) {
    await failures.failed(network);
    throw error;
  }
}

function tokenIn({ headers }: IncomingMessage): string | undefined {
  const plain = headers['x-auth-token'];
  const { authorization } = headers;
  if (plain !== undefined && authorization !== undefined)
    throw new AppError('refused', 400, 'X-Auth-Token and Authorization exclude one another.');
  if (authorization === undefined) return typeof plain === 'string' ? plain : undefined;
  const token = BEARER.exec(authorization)?.[1];
  if (token === undefined) throw unauthorized('an unknown scheme');
  return token;
}

const secretIn = ({ headers }: IncomingMessage): string | undefined =>
  COOKIE_VALUE.exec(headers.cookie ?? '')?.[1];

const requestedBy = ({ address, port }: ClientAddress): string =>
  `console ${address}${port === undefined ? '' : `:${port}`}`;
