import { membersOf } from '../../domain/members.js';
import { AgentCallFailure } from '../../ports/agent-client.js';
import { transportErrorOf } from '../transport-error.js';

const MAX_SAID = 1000;

/** A transport error of a call to the agent. The cause is left out: its text may contain the address, and so the token. */
export function fromTransport(error: unknown): AgentCallFailure {
  const { kind, maybeSent } = transportErrorOf(error);
  const sentences = {
    tls: 'TLS verification of the agent failed',
    too_large: 'the answer of the agent was too large',
    timeout: maybeSent ? 'the agent did not answer in time' : 'the agent could not be reached',
    unreachable: maybeSent ? 'the connection to the agent broke' : 'the agent could not be reached',
  } as const;
  return new AgentCallFailure(kind, sentences[kind], { maybeSent });
}

/** An answer that is no success, as a failure: a refusal with 4xx did nothing. */
export const fromStatus = (status: number): AgentCallFailure =>
  new AgentCallFailure(
    status === 401 || status === 403 ? 'auth' : 'answer',
    status === 401 || status === 403
      ? 'the agent refused its token'
      : `the agent answered ${String(status)}`,
    { maybeSent: status >= 500, status },
  );

/** An agent's text as a line that is safe to return: without control characters, credentials and queries of URLs, and shortened. */
export function saidBy(value: unknown): string {
  const line = sentencesOf(value)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/([a-z][a-z0-9+.-]{0,31}:\/\/)[^\s/?#"'@]*@/giu, '$1')
    .replace(/([a-z][a-z0-9+.-]{0,31}:\/\/[^\s?#"']*)[?#][^\s"']*/giu, '$1')
    .trim();
  return line.length > MAX_SAID ? `${line.slice(0, MAX_SAID)}…` : line;
}

/** An agent's errors have a sentence, and often another with what happened. */
function sentencesOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const { message, details } = membersOf(value);
  const said = [message, details].filter((one) => typeof one === 'string' && one !== '');
  return said.length > 0 ? [...new Set(said)].join(': ') : JSON.stringify(value);
}
