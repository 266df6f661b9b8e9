import { type IncomingMessage, type ServerResponse } from 'node:http';
import { AppError, type Subject, toProblem } from '@tenure/contracts';
import { html } from './html.js';
import { type Page, PATHS } from './page.js';
import { layout } from './views/layout.js';

/** No content of other origins, no inline scripts, and no framing. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options': 'nosniff',
  // Not no-referrer: with it browsers send no usable Origin for the console's own forms.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

/** Status, headers and body of a response. */
export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function send(response: ServerResponse, { status, type, body, headers }: Answer): void {
  response
    .writeHead(status, {
      ...SAFE_HEADERS,
      'Content-Type': type,
      'Content-Length': Buffer.byteLength(body),
      ...headers,
    })
    .end(body);
}

/** Programs say that they want JSON; browsers say HTML. */
export const wantsJson = ({ headers }: IncomingMessage): boolean =>
  (headers.accept ?? '').includes('application/json');

/** A page, in the requested form. */
export const pageAnswer = (request: IncomingMessage, page: Page, subject: Subject): Answer =>
  wantsJson(request)
    ? {
        status: page.status ?? 200,
        type: 'application/json',
        body: JSON.stringify(page.document, null, 2),
      }
    : {
        status: page.status ?? 200,
        type: 'text/html; charset=utf-8',
        body: String(layout(page, subject)),
      };

/** A failure, in the requested form, without its cause. */
export function failureAnswer(
  request: IncomingMessage,
  error: AppError,
  subject: Subject | undefined,
): Answer {
  const { status, headers } = error;
  if (wantsJson(request))
    return {
      status,
      headers,
      type: 'application/problem+json',
      body: JSON.stringify(toProblem(error)),
    };
  const title = status === 404 ? 'Not found' : 'That did not work';
  const body = html`<p role="alert" class="fault">${error.message}</p>
    <p><a href="${PATHS.decisions}">Decisions</a></p>`;
  return {
    status,
    headers,
    type: 'text/html; charset=utf-8',
    body: String(layout({ title, path: '', body }, subject)),
  };
}

/** @throws AppError 405 */
export function requireMethod(
  { method = '' }: IncomingMessage,
  ...allowed: readonly string[]
): void {
  if (!allowed.includes(method))
    throw new AppError('method_not_allowed', 405, `Only ${allowed.join(' and ')} is served here.`, {
      headers: { Allow: allowed.join(', ') },
    });
}
