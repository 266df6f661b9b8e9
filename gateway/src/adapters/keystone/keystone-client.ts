import { UnavailableError } from '@tenure/contracts';
import { type JsonAnswer, type JsonCall, type JsonHttp, type ServiceSession } from '@tenure/http';
import { type Keystone } from '../../ports/keystone.js';
import { eventsOf } from './keystone-event.js';
import { identityOfBody } from './token-body.js';

/** Declares that the gateway checks access rules; without it Keystone refuses application credentials with access rules. */
const ACCESS_RULES = { 'openstack-identity-access-rules': '1.0' } as const;

/** Circuit breaker: so many failures in a row mark Keystone as down, for so many milliseconds. */
const FAILURES_TO_BE_DOWN = 3;
const DOWN_MS = 5000;

interface Health {
  readonly ok: () => void;
  readonly failed: () => void;
  readonly isDown: () => boolean;
}

type Ask = <T>(call: JsonCall, read: (answer: JsonAnswer) => T) => Promise<T>;

/** Keystone behind its HTTP API, called with the tokens of the gateway's own session. */
export function createKeystone(http: JsonHttp, session: ServiceSession): Keystone {
  const health = createHealth();
  const ask = createAsk(http, session, health);
  return {
    validate: (token, allowExpired) =>
      ask(
        {
          method: 'GET',
          path: `/auth/tokens?nocatalog${allowExpired ? '&allow_expired=1' : ''}`,
          headers: { 'x-subject-token': token, ...ACCESS_RULES },
        },
        (answer) => {
          if (answer.status === 404) return undefined;
          checkStatus(answer);
          checkSameToken(answer, token);
          return identityOfBody(answer.json);
        },
      ),
    revocations: (since) =>
      ask(
        {
          method: 'GET',
          path: `/OS-REVOKE/events?since=${encodeURIComponent(new Date(since * 1000).toISOString())}`,
          headers: {},
        },
        (answer) => {
          checkStatus(answer);
          return { events: eventsOf(answer.json), asOf: dateOf(answer) };
        },
      ),
    isDown: health.isDown,
    close: http.close,
  };
}

/** Counts failures in a row; a success resets the count. */
function createHealth(): Health {
  let failures = 0;
  let lastFailure = -Infinity;
  return {
    ok: () => {
      failures = 0;
    },
    failed: () => {
      failures += 1;
      lastFailure = performance.now();
    },
    isDown: () => failures >= FAILURES_TO_BE_DOWN && performance.now() < lastFailure + DOWN_MS,
  };
}

/** Calls Keystone; repeats the call once with a new token when Keystone refuses the gateway's own token. */
function createAsk(http: JsonHttp, session: ServiceSession, health: Health): Ask {
  const callOnce = async (call: JsonCall): Promise<JsonAnswer> => {
    const token = await session.token();
    const answer = await http.call({
      ...call,
      headers: { ...call.headers, 'x-auth-token': token },
    });
    if (answer.status === 401) session.refused(token);
    return answer;
  };

  /** Counts only failed calls for the circuit breaker. An unusable answer does not mean that Keystone is down. */
  const counted = async (call: JsonCall): Promise<JsonAnswer> => {
    try {
      const answer = await callOnce(call);
      if (answer.status >= 500) health.failed();
      else health.ok();
      return answer;
    } catch (error) {
      health.failed();
      throw error;
    }
  };

  return async (call, read) => {
    try {
      const first = await counted(call);
      return read(first.status === 401 ? await counted(call) : first);
    } catch (error) {
      throw unavailable(error);
    }
  };
}

function checkStatus({ status }: JsonAnswer): void {
  if (status === 403) throw new Error("Keystone refuses the calls of the gateway's user (403)");
  if (status !== 200) throw new Error(`Keystone answered ${status}`);
}

function checkSameToken({ headers }: JsonAnswer, token: string): void {
  const about = headers['x-subject-token'];
  if (about !== undefined && about !== token)
    throw new Error('the answer of Keystone is about another token');
}

function dateOf({ headers }: JsonAnswer): number {
  const ms = typeof headers['date'] === 'string' ? Date.parse(headers['date']) : Number.NaN;
  return (Number.isNaN(ms) ? Date.now() : ms) / 1000;
}

const unavailable = (cause: unknown): UnavailableError =>
  new UnavailableError('The Keystone service is temporarily unavailable.', {
    cause,
    headers: { 'Retry-After': '1' },
  });
