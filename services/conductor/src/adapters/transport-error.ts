const TLS_CODES =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|EPROTO|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|CRL_|PATH_LENGTH)/u;
const TOO_LARGE = ['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'UND_ERR_HEADERS_OVERFLOW'];
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** The classification of an error of the HTTP client. */
export interface TransportError {
  readonly kind: 'timeout' | 'tls' | 'too_large' | 'unreachable';
  /** Node's or undici's code, `''` when there is none. */
  readonly code: string;
  /** Whether the bytes of the request may have arrived. */
  readonly maybeSent: boolean;
}

/** Reads an error of the HTTP client, whatever it is. */
export function transportErrorOf(error: unknown): TransportError {
  const code = member(error, 'code');
  if (TLS_CODES.test(code)) return { kind: 'tls', code, maybeSent: false };
  if (TOO_LARGE.includes(code)) return { kind: 'too_large', code, maybeSent: true };
  const isLate =
    ['TimeoutError', 'AbortError'].includes(member(error, 'name')) || code.endsWith('_TIMEOUT');
  return { kind: isLate ? 'timeout' : 'unreachable', code, maybeSent: !NOT_SENT.has(code) };
}

function member(error: unknown, key: 'code' | 'name'): string {
  if (typeof error !== 'object' || error === null || !(key in error)) return '';
  const value: unknown = Reflect.get(error, key);
  return typeof value === 'string' ? value : '';
}
