import { type Deadline } from '../../deadline.js';
import { DriverFailure } from '../../domain/driver-failure.js';
import { type RedfishSettings } from '../../domain/redfish-settings.js';
import { BmcCallFailure, fromStatus } from './bmc-error.js';
import { type BmcAnswer, type BmcTransport, succeeded } from './bmc-transport.js';

/** Who we are to one BMC. One session at most, one login in flight, whoever waits shares it. */
export interface BmcAuth {
  /** Headers for a request; logs in when there is no session yet. */
  readonly headers: (deadline: Deadline) => Promise<Readonly<Record<string, string>>>;
  /** To be told of a 401: drops the session that these headers belonged to. False when a new login cannot help. */
  readonly refused: (headers: Readonly<Record<string, string>>) => boolean;
  /** The session's token; undefined with Basic authentication or none. */
  readonly token: (deadline: Deadline) => Promise<string | undefined>;
  readonly close: (deadline: Deadline) => Promise<void>;
}

interface Session {
  readonly token: string;
  readonly location: string | undefined;
}

const ROOT = '/redfish/v1/';
const DEFAULT_SESSIONS = '/redfish/v1/SessionService/Sessions';
const TOKEN_HEADER = 'x-auth-token';
const NO_SESSIONS = new Set([404, 405, 501]);

const objectAt = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;

const localPath = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\/[^/\\\s]/u.test(value) && value.length < 1024
    ? value
    : undefined;

const locationOf = (answer: BmcAnswer): string | undefined => {
  const header = answer.headers['location'];
  const path = header === undefined ? undefined : URL.parse(header, 'http://bmc')?.pathname;
  return localPath(path) ?? localPath(answer.data['@odata.id']);
};

/** Where sessions are made, as the service root says; undefined when it does not speak of sessions. */
const sessionsPath = async (
  transport: BmcTransport,
  deadline: Deadline,
): Promise<string | undefined> => {
  const root = await transport.call({ method: 'GET', path: ROOT }, deadline);
  if (root.status >= 500) throw fromStatus(root.status, root.data);
  return localPath(objectAt(objectAt(root.data['Links'], 'Sessions'), '@odata.id'));
};

/** Undefined when there are no sessions to be had and Basic is as good. */
const logIn = async (
  transport: BmcTransport,
  settings: RedfishSettings,
  deadline: Deadline,
): Promise<Session | undefined> => {
  const advertised = await sessionsPath(transport, deadline);
  // A BMC that does not know sessions may refuse the login as unauthenticated, which would look like a wrong password.
  if (advertised === undefined && settings.auth === 'auto') return undefined;
  const path = advertised ?? DEFAULT_SESSIONS;
  const body = { UserName: settings.username, Password: settings.password };
  const answer = await transport.call({ method: 'POST', path, body }, deadline);
  const { headers } = succeeded(answer);
  const token = headers[TOKEN_HEADER];
  if (token === undefined || token === '')
    throw new DriverFailure('auth', 'the BMC opened no session');
  return { token, location: locationOf(answer) };
};

/** Authentication to one BMC, as `redfish_auth_type` says; `auto` falls back to Basic where there are no sessions. */
export const createBmcAuth = (transport: BmcTransport, settings: RedfishSettings): BmcAuth => {
  const basic = {
    authorization: `Basic ${Buffer.from(`${settings.username ?? ''}:${settings.password ?? ''}`).toString('base64')}`,
  };
  let session: Session | undefined;
  let pending: Promise<Session | undefined> | undefined;
  let useBasic = settings.auth === 'basic';

  const open = async (deadline: Deadline): Promise<Session | undefined> => {
    try {
      session = await logIn(transport, settings, deadline);
      useBasic = session === undefined;
      return session;
    } catch (error) {
      const none =
        error instanceof BmcCallFailure &&
        error.status !== undefined &&
        NO_SESSIONS.has(error.status);
      if (settings.auth !== 'auto' || !none) throw error;
      useBasic = true;
      return undefined;
    }
  };
  const current = async (deadline: Deadline): Promise<Session | undefined> => {
    if (useBasic || settings.username === null) return undefined;
    if (session !== undefined) return session;
    pending ??= open(deadline).finally(() => {
      pending = undefined;
    });
    return pending;
  };
  return {
    headers: async (deadline) => {
      if (settings.username === null) return {};
      const open = await current(deadline);
      return open === undefined ? basic : { [TOKEN_HEADER]: open.token };
    },
    refused: (headers) => {
      const token = headers[TOKEN_HEADER];
      if (token === undefined) return false;
      // Whoever saw the 401 first dropped it; the others find the new session, or the login in flight.
      if (session?.token === token) session = undefined;
      return true;
    },
    token: async (deadline) => (await current(deadline))?.token,
    close: async (deadline) => {
      const last = session;
      session = undefined;
      if (last?.location === undefined) return;
      const answer = await transport.call(
        { method: 'DELETE', path: last.location, headers: { [TOKEN_HEADER]: last.token } },
        deadline,
      );
      if (answer.status >= 400 && answer.status !== 401 && answer.status !== 404)
        throw fromStatus(answer.status, answer.data);
    },
  };
};
