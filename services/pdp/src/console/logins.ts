import { type IncomingMessage } from 'node:http';
import { Type } from '@sinclair/typebox';
import { AppError } from '@tenure/contracts';
import { readBody } from '@tenure/http';
import { type Admission, COOKIE, type Viewer } from './admission.js';
import { PATH, PATHS } from './page.js';
import { membersOf } from './queries.js';
import { type Answer, requireMethod } from './respond.js';
import { layout } from './views/layout.js';
import { loginForm } from './views/login.js';

/** Handlers of login and logout. */
export interface LoginHandlers {
  readonly login: (request: IncomingMessage) => Promise<Answer>;
  readonly logout: (request: IncomingMessage, viewer: Viewer) => Promise<Answer>;
}

const FORM_LIMIT = 20 * 1024;
const LoginForm = Type.Object(
  { token: Type.String({ minLength: 1, maxLength: 16_384 }) },
  { additionalProperties: false },
);

/** The form that asks for a token. A token never comes in an address. */
export const loginPage = (status: number, problem?: string): Answer => ({
  status,
  type: 'text/html; charset=utf-8',
  body: String(layout({ title: 'Log in', path: PATHS.login, body: loginForm(problem) }, undefined)),
  headers: status === 401 ? { 'WWW-Authenticate': 'Bearer realm="tenure"' } : {},
});

/** To another page of the console. */
export const seeOther = (location: string, cookie?: string): Answer => ({
  status: 303,
  type: 'text/plain',
  body: '',
  headers: { Location: location, ...(cookie !== undefined && { 'Set-Cookie': cookie }) },
});

/** @param isSecure whether browsers use https, for the attributes of the cookie */
export function createLoginHandlers(admission: Admission, isSecure: boolean): LoginHandlers {
  const cookieOf = (value: string, seconds: number): string =>
    `${COOKIE}=${value}; Path=${PATH}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  return {
    login: async (request) => {
      requireMethod(request, 'GET', 'POST');
      if (request.method === 'GET') return loginPage(200);
      requireOwnForm(request);
      const { secret, seconds } = await admission.login(request, await tokenOf(request));
      return seeOther(PATHS.decisions, cookieOf(secret, seconds));
    },
    logout: async (request, viewer) => {
      requireMethod(request, 'POST');
      requireOwnForm(request);
      await admission.logout(viewer);
      return seeOther(PATHS.login, cookieOf('', 0));
    },
  };
}

/** Accepts forms from the console's own pages only, independent of the attributes of the cookie. */
function requireOwnForm({ headers }: IncomingMessage): void {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  const isOwn = origin === undefined || URL.parse(origin)?.host === host;
  if (!isOwn || (site !== undefined && site !== 'same-origin' && site !== 'none'))
    throw new AppError('refused', 403, 'The form was not sent from this console.');
  if (headers['content-type']?.split(';')[0]?.trim() !== 'application/x-www-form-urlencoded')
    throw new AppError('unsupported_media_type', 415, 'A form is expected here.');
}

async function tokenOf(request: IncomingMessage): Promise<string> {
  const form = new URLSearchParams((await readBody(request, FORM_LIMIT)).toString('utf8'));
  return membersOf(LoginForm, form).token.trim();
}
