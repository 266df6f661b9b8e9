import { type Deadline } from '@tenure/process';
import { type RedfishSettings } from '../../domain/redfish-settings.js';
import { BmcCallFailure, fromStatus, notRedfish } from './bmc-error.js';
import { type BmcAnswer, type BmcTransport, createdAt, succeeded } from './bmc-transport.js';
import { linkOf, objectOf } from './json.js';

export interface Session {
  readonly token: string;
  readonly location: string | undefined;
}

/** The result of a login, for which Basic authentication may be the fallback. */
export type Login =
  | { readonly session: Session }
  /** The BMC does not support sessions. */
  | { readonly session: undefined; readonly why: 'none' }
  /** The BMC has no session left at the moment. */
  | { readonly session: undefined; readonly why: 'full' };

export const TOKEN_HEADER = 'x-auth-token';
const ROOT = '/redfish/v1/';
const DEFAULT_SESSIONS = '/redfish/v1/SessionService/Sessions';
const NO_SESSIONS = new Set([404, 405, 501]);

/**
 * Opens a session.
 * @throws BmcCallFailure, DriverFailure; a BMC without sessions is a failure only when a session is demanded
 */
export async function logIn(
  transport: BmcTransport,
  settings: RedfishSettings,
  deadline: Deadline,
): Promise<Login> {
  const mayBeBasic = settings.auth === 'auto';
  const advertised = await sessionsPath(transport, deadline);
  // A BMC that does not know sessions may refuse the login as unauthenticated, which would look like a wrong password.
  if (advertised === undefined && mayBeBasic) return { session: undefined, why: 'none' };
  const path = advertised ?? DEFAULT_SESSIONS;
  const body = { UserName: settings.username, Password: settings.password };
  const answer = await transport.call({ method: 'POST', path, body }, deadline);
  if (mayBeBasic && NO_SESSIONS.has(answer.status)) return { session: undefined, why: 'none' };
  if (isFull(answer)) {
    if (mayBeBasic) return { session: undefined, why: 'full' };
    throw noSessionLeft(answer);
  }
  const token = succeeded(answer).headers[TOKEN_HEADER];
  if (token === undefined || token === '')
    throw notRedfish('auth', 'no session was opened', { maybeSent: false });
  return { session: { token, location: createdAt(answer) } };
}

/** Path of the session collection, from the service root; undefined when that names none. */
async function sessionsPath(
  transport: BmcTransport,
  deadline: Deadline,
): Promise<string | undefined> {
  const root = await transport.call({ method: 'GET', path: ROOT }, deadline);
  if (root.status >= 500) throw fromStatus(root.status, root.data);
  return linkOf(objectOf(root.data['Links'])['Sessions']);
}

const isFull = ({ status, data }: BmcAnswer): boolean =>
  status === 503 ||
  (status >= 400 && /"MessageId":"[^"]*SessionLimitExceeded"/u.test(JSON.stringify(data)));

/** Only for a Redfish error: other servers answer 503 as well. */
function noSessionLeft({ status, data }: BmcAnswer): BmcCallFailure {
  const answered = fromStatus(status, data);
  return answered.publicKind === 'answer'
    ? new BmcCallFailure('answer', 'the BMC has no session left', { maybeSent: false, status })
    : answered;
}
