import { CallFailure } from '../../domain/call-failure.js';
import { transportErrorOf } from '../transport-error.js';

/** A call to a BMC that failed. */
export class BmcCallFailure extends CallFailure {}

const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the BMC refused the connection',
  ENOTFOUND: 'the address of the BMC could not be resolved',
  EAI_AGAIN: 'the address of the BMC could not be resolved',
  EHOSTUNREACH: 'the BMC could not be reached',
  ENETUNREACH: 'the BMC could not be reached',
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
  const { kind, code, maybeSent } = transportErrorOf(error);
  const sentences = {
    tls: 'TLS verification of the BMC failed',
    too_large: 'the answer of the BMC was too large',
    timeout: maybeSent
      ? `no answer from the BMC within ${seconds(callMs)}`
      : 'no connection to the BMC in time',
    unreachable: UNREACHABLE[code] ?? 'the connection to the BMC broke',
  } as const;
  return new BmcCallFailure(kind, sentences[kind], { maybeSent, cause: error });
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
