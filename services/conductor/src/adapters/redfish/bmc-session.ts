import { type Deadline, deadlineIn, inTime } from '@tenure/process';
import { type RedfishSettings } from '../../domain/redfish-settings.js';
import { BmcCallFailure, fromStatus } from './bmc-error.js';
import { type Login, logIn, type Session, TOKEN_HEADER } from './bmc-login.js';
import { type BmcTransport } from './bmc-transport.js';

type Headers = Readonly<Record<string, string>>;

/** Credentials for one BMC: one session at most, and one login in flight, which all waiting callers share. */
export interface BmcAuth {
  /**
   * Headers for a request; logs in when there is no session yet.
   * @throws BmcCallFailure `auth` without asking the BMC when it refused these credentials a moment ago
   */
  readonly headers: (deadline: Deadline) => Promise<Headers>;
  /** Called after a 401: drops the session that these headers belonged to. False when a new login cannot help. */
  readonly refused: (headers: Headers) => boolean;
  /** Called after a 401 that a new login did not resolve: nothing is sent with this account for a while. */
  readonly rejected: () => void;
  readonly close: (deadline: Deadline) => Promise<void>;
}

/** So long refused credentials are not tried again, milliseconds: a BMC locks an account that fails often. */
const REFUSED_MS = 60_000;
/** Milliseconds for which Basic authentication is used when the BMC has no session left. */
const FULL_MS = 60_000;
/** Timeout of a login, milliseconds: independent of the caller that started it, since others may have more time. */
const LOGIN_MS = 20_000;

/**
 * Authentication to one BMC, as `redfish_auth_type` says; `auto` falls back to Basic where there are no sessions, and for
 * a while where none is left.
 * @param now milliseconds on a clock that only goes forward
 */
export function createBmcAuth(
  transport: BmcTransport,
  settings: RedfishSettings,
  now: () => number = () => performance.now(),
): BmcAuth {
  const basic = {
    authorization: `Basic ${Buffer.from(`${settings.username ?? ''}:${settings.password ?? ''}`).toString('base64')}`,
  };
  let session: Session | undefined;
  let pending: Promise<Session | undefined> | undefined;
  let basicUntil = settings.auth === 'basic' ? Infinity : -Infinity;
  let refusedUntil = -Infinity;

  const isRefused = (): boolean => now() < refusedUntil;
  const reject = (): void => {
    // Callers that come meanwhile do not prolong it.
    if (!isRefused()) refusedUntil = now() + REFUSED_MS;
  };
  const useLogin = (login: Login): Session | undefined => {
    if (login.session === undefined) basicUntil = login.why === 'none' ? Infinity : now() + FULL_MS;
    session = login.session;
    return session;
  };
  const open = async (): Promise<Session | undefined> => {
    try {
      return useLogin(await logIn(transport, settings, deadlineIn(LOGIN_MS)));
    } catch (error) {
      if (isRefusal(error)) reject();
      throw error;
    } finally {
      pending = undefined;
    }
  };
  const current = async (deadline: Deadline): Promise<Session | undefined> => {
    if (settings.username === null || now() < basicUntil) return undefined;
    if (session !== undefined) return session;
    if (pending === undefined && isRefused()) throw credentialsRefused();
    return inTime(deadline, (pending ??= open()), loginTooLate);
  };
  return {
    headers: async (deadline) => {
      if (settings.username === null) return {};
      const open = await current(deadline);
      if (open !== undefined) return { [TOKEN_HEADER]: open.token };
      if (isRefused()) throw credentialsRefused();
      return basic;
    },
    refused: (headers) => {
      const token = headers[TOKEN_HEADER];
      if (token === undefined || isRefused()) return false;
      // The first caller that gets a 401 drops the session; the others use the new one, or wait for the login in flight.
      if (session?.token === token) session = undefined;
      return true;
    },
    rejected: reject,
    close: async (deadline) => {
      const last = session;
      session = undefined;
      if (last !== undefined) await endSession(transport, last, deadline);
    },
  };
}

const isRefusal = (error: unknown): boolean =>
  error instanceof BmcCallFailure && error.status === 401;

const credentialsRefused = (): BmcCallFailure => fromStatus(401, undefined);

function loginTooLate(): never {
  throw new BmcCallFailure('timeout', 'the login at the BMC took too long', { maybeSent: false });
}

async function endSession(
  transport: BmcTransport,
  { token, location }: Session,
  deadline: Deadline,
): Promise<void> {
  if (location === undefined) return;
  const headers = { [TOKEN_HEADER]: token };
  const answer = await transport.call({ method: 'DELETE', path: location, headers }, deadline);
  if (answer.status >= 400 && answer.status !== 401 && answer.status !== 404)
    throw fromStatus(answer.status, answer.data);
}
