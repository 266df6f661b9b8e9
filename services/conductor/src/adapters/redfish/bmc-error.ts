import { CallFailure } from '../../domain/call-failure.js';
import { type FailureKind } from '../../domain/driver-failure.js';
import { transportErrorOf } from '../transport-error.js';

/** A call to a BMC that failed. */
export class BmcCallFailure extends CallFailure {}

/**
 * The only messages about an address that its owner sees. More detail would let an owner scan the conductor's network. The
 * error's cause has the detail, for the operator's log.
 */
const UNREACHABLE = 'the BMC is unreachable';
const CREDENTIALS = 'the BMC refused the credentials';
const NOT_REDFISH = 'the answer of the BMC was not Redfish';

interface Answered {
  readonly maybeSent: boolean;
  readonly status?: number;
  readonly cause?: unknown;
}

/** `Registry.1.0.Key`, a form that only Redfish uses. */
const MESSAGE_ID =
  /"MessageId":"(?<id>[A-Za-z][A-Za-z0-9]{0,39}(?:\.[0-9]{1,4}){1,3}\.[A-Za-z0-9]{1,80})"/u;

/**
 * A transport error of a call to the BMC.
 * @param callMs deadline of the call, for the log
 */
export function fromTransport(error: unknown, callMs: number): BmcCallFailure {
  const { kind, code, maybeSent } = transportErrorOf(error);
  const details = {
    tls: 'TLS verification failed',
    too_large: 'the answer was too large',
    timeout: maybeSent ? `no answer within ${seconds(callMs)}` : 'no connection in time',
    unreachable: `the connection failed or broke${code === '' ? '' : ` (${code})`}`,
  } as const;
  const isAnswer = kind === 'too_large';
  return new BmcCallFailure(kind, isAnswer ? NOT_REDFISH : UNREACHABLE, {
    maybeSent,
    publicKind: isAnswer ? 'malformed' : 'unreachable',
    cause: new Error(details[kind], { cause: error }),
  });
}

/**
 * A response that no Redfish service gives.
 * @param detail the defect, for the log
 */
export const notRedfish = (
  kind: FailureKind,
  detail: string,
  { cause, ...answered }: Answered,
): BmcCallFailure =>
  new BmcCallFailure(kind, NOT_REDFISH, {
    ...answered,
    publicKind: 'malformed',
    cause: new Error(detail, { cause }),
  });

/** The failure for an unsuccessful response. The BMC did nothing in case of 4xx; in case of 5xx the outcome is uncertain. */
export function fromStatus(status: number, data: unknown): BmcCallFailure {
  const maybeSent = status >= 500;
  if (status === 401 || status === 403)
    return new BmcCallFailure('auth', CREDENTIALS, {
      maybeSent,
      status,
      cause: new Error(`answered ${String(status)}`),
    });
  if (status >= 300 && status < 400)
    return notRedfish('redirect', `redirected elsewhere (${String(status)})`, {
      maybeSent,
      status,
    });
  const id = messageIdOf(data);
  if (id === undefined)
    return notRedfish('answer', `answered ${String(status)}`, { maybeSent, status });
  return new BmcCallFailure('answer', `the BMC answered ${String(status)} (${id})`, {
    maybeSent,
    status,
  });
}

function seconds(ms: number): string {
  const rounded = Math.round(ms / 100) / 10;
  return `${String(rounded)} s`;
}

const messageIdOf = (data: unknown): string | undefined =>
  // Only the registry's identifier is repeated: a BMC's prose may echo what was sent to it.
  MESSAGE_ID.exec(JSON.stringify(data ?? null).slice(0, 20_000))?.groups?.['id'];
