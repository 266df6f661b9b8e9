import { refusal } from './refusal.js';

/** Framing and host of a request, from its headers. */
export interface StrictHeaders {
  /** `host` or `host:port`, of a safe form. */
  readonly host: string;
  readonly contentType: string | undefined;
  /** Announced bytes of the body; undefined when it comes in chunks. */
  readonly contentLength: number | undefined;
  readonly hasBody: boolean;
}

const MAX_HEADERS = 100;
const HOST = /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?$/u;
const LENGTH = /^[0-9]{1,15}$/u;
const BODYLESS_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** Headers that must not be repeated, because servers differ in which of the two they use. */
const ONCE: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'content-type',
  'x-auth-token',
  'x-service-token',
  'authorization',
  'x-openstack-ironic-api-version',
  'x-openstack-nova-api-version',
  'openstack-api-version',
]);

const CONNECTION_TOKENS: ReadonlySet<string> = new Set(['keep-alive', 'close']);

/** Checks of single headers, independent of the route. */
const CHECKS: ReadonlyMap<string, (value: string) => void> = new Map([
  ['connection', checkConnection],
  [
    'expect',
    () => {
      throw refusal(417, 'The Expect header is not supported.');
    },
  ],
  [
    'upgrade',
    () => {
      throw refusal(400, 'The Upgrade header is not supported.');
    },
  ],
  [
    'trailer',
    () => {
      throw refusal(400, 'Trailers are not supported.');
    },
  ],
  [
    'content-encoding',
    () => {
      throw refusal(415, 'The Content-Encoding header is not supported.');
    },
  ],
  [
    'transfer-encoding',
    (value) => {
      if (value.toLowerCase() !== 'chunked')
        throw refusal(400, 'The Transfer-Encoding is not taken.');
    },
  ],
  [
    'content-length',
    (value) => {
      if (!LENGTH.test(value)) throw refusal(400, 'The Content-Length is malformed.');
    },
  ],
  [
    'host',
    (value) => {
      if (!HOST.test(value)) throw refusal(400, 'The Host header is malformed.');
    },
  ],
]);

type Framing = Pick<StrictHeaders, 'contentLength' | 'hasBody'>;

const NO_BODY: Framing = { contentLength: 0, hasBody: false };

/**
 * Checks the header section, from the raw list: Node's own view joins or drops duplicates.
 * @throws AppError 400, 415, 417 or 431
 */
export function checkHeaders(method: string, rawHeaders: readonly string[]): StrictHeaders {
  const headers = collect(rawHeaders);
  const host = headers.get('host');
  if (host === undefined) throw refusal(400, 'The Host header is missing.');
  return { host, contentType: headers.get('content-type'), ...framingOf(method, headers) };
}

function checkConnection(value: string): void {
  for (const token of value.split(','))
    // A name in Connection makes proxies drop that header, so only these tokens are accepted.
    if (!CONNECTION_TOKENS.has(token.trim().toLowerCase()))
      throw refusal(400, 'The Connection header has an unsupported option.');
}

function collect(rawHeaders: readonly string[]): ReadonlyMap<string, string> {
  if (rawHeaders.length > MAX_HEADERS * 2) throw refusal(431, 'There are too many headers.');
  const seen = new Map<string, string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    const value = rawHeaders[index + 1] ?? '';
    // X_Roles and X.Roles become X-Roles in some servers (CGI naming).
    if (name.includes('_') || name.includes('.'))
      throw refusal(400, 'A header name has a character that is not taken.');
    if (seen.has(name) && ONCE.has(name))
      throw refusal(400, `The header ${name} was given more than once.`);
    CHECKS.get(name)?.(value);
    seen.set(name, value);
  }
  return seen;
}

function framingOf(method: string, headers: ReadonlyMap<string, string>): Framing {
  const length = headers.get('content-length');
  const isChunked = headers.has('transfer-encoding');
  if (isChunked && length !== undefined)
    throw refusal(400, 'Content-Length and Transfer-Encoding exclude one another.');
  if (isChunked && method === 'DELETE') throw refusal(400, 'A DELETE takes no chunked body.');
  const contentLength = isChunked ? undefined : Number(length ?? 0);
  if (contentLength === 0) return NO_BODY;
  if (BODYLESS_METHODS.has(method)) throw refusal(400, `A ${method} takes no body.`);
  return { contentLength, hasBody: true };
}
