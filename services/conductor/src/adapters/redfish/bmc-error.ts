import { DriverFailure, type FailureKind } from '../../domain/driver-failure.js';

/** Whether the bytes of a request may have reached the BMC: only then must a command not be sent again. */
export class BmcCallFailure extends DriverFailure {
  readonly maybeSent: boolean;
  /** Status the BMC answered with, when it answered. */
  readonly status: number | undefined;

  constructor(
    kind: FailureKind,
    message: string,
    options: { readonly maybeSent: boolean; readonly status?: number; readonly cause?: unknown },
  ) {
    super(kind, message, { cause: options.cause });
    this.name = 'BmcCallFailure';
    this.maybeSent = options.maybeSent;
    this.status = options.status;
  }
}

const TLS_CODES =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|EPROTO|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|CRL_|PATH_LENGTH)/u;
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the BMC refused the connection',
  ENOTFOUND: 'the address of the BMC could not be resolved',
  EAI_AGAIN: 'the address of the BMC could not be resolved',
  EHOSTUNREACH: 'the BMC could not be reached',
  ENETUNREACH: 'the BMC could not be reached',
};

const member = (error: unknown, key: 'code' | 'name'): string => {
  if (typeof error !== 'object' || error === null || !(key in error)) return '';
  const value: unknown = Reflect.get(error, key);
  return typeof value === 'string' ? value : '';
};

const seconds = (ms: number): string => {
  const rounded = Math.round(ms / 100) / 10;
  return `${String(rounded)} s`;
};

/**
 * What went wrong between us and the BMC.
 * @param callMs how long the call was given, for the sentence
 */
export const fromTransport = (error: unknown, callMs: number): BmcCallFailure => {
  const code = member(error, 'code');
  const name = member(error, 'name');
  if (TLS_CODES.test(code))
    return new BmcCallFailure('tls', 'TLS verification of the BMC failed', {
      maybeSent: false,
      cause: error,
    });
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' || code === 'UND_ERR_HEADERS_OVERFLOW')
    return new BmcCallFailure('too_large', 'the answer of the BMC was too large', {
      maybeSent: true,
      cause: error,
    });
  if (code === 'UND_ERR_CONNECT_TIMEOUT')
    return new BmcCallFailure('timeout', 'no connection to the BMC in time', {
      maybeSent: false,
      cause: error,
    });
  if (name === 'TimeoutError' || name === 'AbortError' || code.endsWith('_TIMEOUT'))
    return new BmcCallFailure('timeout', `no answer from the BMC within ${seconds(callMs)}`, {
      maybeSent: true,
      cause: error,
    });
  return new BmcCallFailure('unreachable', UNREACHABLE[code] ?? 'the connection to the BMC broke', {
    maybeSent: !NOT_SENT.has(code),
    cause: error,
  });
};

const messageIdOf = (data: unknown): string => {
  // Only the registry's identifier is repeated: a BMC's prose may echo what was sent to it.
  const text = JSON.stringify(data ?? null).slice(0, 20_000);
  const id = /"MessageId":"(?<id>[A-Za-z0-9.]{1,80})"/u.exec(text)?.groups?.['id'];
  return id === undefined ? '' : ` (${id})`;
};

/** An answer that is not a success, as a failure. The BMC answered, so whether it acted is known for 4xx, unknown for 5xx. */
export const fromStatus = (status: number, data: unknown): BmcCallFailure => {
  if (status === 401)
    return new BmcCallFailure('auth', 'the BMC refused the credentials', {
      maybeSent: false,
      status,
    });
  if (status === 403)
    return new BmcCallFailure('auth', 'the BMC does not permit this to the account', {
      maybeSent: false,
      status,
    });
  if (status >= 300 && status < 400)
    return new BmcCallFailure('redirect', 'the BMC redirected the request elsewhere', {
      maybeSent: false,
      status,
    });
  return new BmcCallFailure('answer', `the BMC answered ${String(status)}${messageIdOf(data)}`, {
    maybeSent: status >= 500,
    status,
  });
};
