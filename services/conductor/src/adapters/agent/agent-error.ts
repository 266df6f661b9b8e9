import { AgentCallFailure } from '../../ports/agent-client.js';

const TLS_CODES =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|EPROTO|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/u;
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const member = (error: unknown, key: 'code' | 'name'): string => {
  if (typeof error !== 'object' || error === null || !(key in error)) return '';
  const value: unknown = Reflect.get(error, key);
  return typeof value === 'string' ? value : '';
};

/** What went wrong between us and the agent. The cause is left out: its text may hold the address, and so the token. */
export const fromTransport = (error: unknown): AgentCallFailure => {
  const code = member(error, 'code');
  if (TLS_CODES.test(code))
    return new AgentCallFailure('tls', 'TLS verification of the agent failed', {
      maybeSent: false,
    });
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' || code === 'UND_ERR_HEADERS_OVERFLOW')
    return new AgentCallFailure('too_large', 'the answer of the agent was too large', {
      maybeSent: true,
    });
  if (NOT_SENT.has(code))
    return new AgentCallFailure('unreachable', 'the agent could not be reached', {
      maybeSent: false,
    });
  if (['TimeoutError', 'AbortError'].includes(member(error, 'name')) || code.endsWith('_TIMEOUT'))
    return new AgentCallFailure('timeout', 'the agent did not answer in time', { maybeSent: true });
  return new AgentCallFailure('unreachable', 'the connection to the agent broke', {
    maybeSent: true,
  });
};

/** An answer that is no success, as a failure: a refusal with 4xx did nothing. */
export const fromStatus = (status: number): AgentCallFailure =>
  new AgentCallFailure(
    status === 401 || status === 403 ? 'auth' : 'answer',
    status === 401 || status === 403
      ? 'the agent refused its token'
      : `the agent answered ${String(status)}`,
    { maybeSent: status >= 500, status },
  );

const MAX_SAID = 1000;

/** An agent's errors have a sentence, and often another with what happened. */
const sentencesOf = (value: unknown): string => {
  if (typeof value === 'string') return value;
  const { message, details } = Object(value) as Readonly<Record<string, unknown>>; // only text is taken
  const said = [message, details].filter((one) => typeof one === 'string' && one !== '');
  return said.length > 0 ? [...new Set(said)].join(': ') : JSON.stringify(value);
};

/** What an agent says, as a line that may be shown: no control characters, no addresses' credentials or queries, cut short. */
export const saidBy = (value: unknown): string => {
  const line = sentencesOf(value)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s/?#"'@]*@/giu, '$1')
    .replace(/([a-z][a-z0-9+.-]*:\/\/[^\s?#"']*)[?#][^\s"']*/giu, '$1')
    .trim();
  return line.length > MAX_SAID ? `${line.slice(0, MAX_SAID)}…` : line;
};
