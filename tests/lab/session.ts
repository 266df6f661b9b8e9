import { request } from 'node:http';
import { inProject, type Persona, systemAdmin } from '../support/personas.js';
import { type Random } from '../support/random.js';
import { type Tenure } from '../support/tenure.js';
import { sleep } from '../support/wait.js';
import { type AddEntry, type Outcome } from './history.js';
import { isAtRest } from './rest.js';
import { OWNER, type World } from './world.js';

export const owner = inProject(OWNER, 'admin');

interface Answer {
  /** Null when none came. */
  readonly status: number | null;
  readonly json: unknown;
  readonly outcome: Outcome;
}

interface Sent {
  readonly status: number;
  /** Id of the decision that the answer names; null when it names none. */
  readonly decision: string | null;
  readonly text: string;
}

/** The gateway answers within ten seconds, or not at all. */
const PATIENCE_MS = 16_000;
/** Milliseconds until a request without an answer is done or never will be: the longest delay, and the way through all parts. */
const DOUBT_MS = 16_000;
const LEAVES_OPEN: readonly number[] = [502, 503, 504];

export interface NodeView {
  readonly reservation: string | null;
  readonly target_power_state: string | null;
  readonly power_state: string | null;
  readonly provision_state: string;
  readonly last_error: string | null;
  readonly lessee: string | null;
}

/** The collaborators of a client of the lab. */
export interface Session {
  readonly world: World;
  readonly random: Random;
  readonly add: AddEntry;
  /** Sends a request, and records it. */
  readonly call: (persona: Persona, line: string, body?: unknown) => Promise<Answer>;
  /** Waits for what may still come of a request without an answer. */
  readonly inDoubt: (answer: Answer) => Promise<void>;
  /** The node, when nothing is done to it any more; null when that does not come in time. */
  readonly atRest: (uuid: string) => Promise<NodeView | null>;
  readonly pause: () => Promise<void>;
}

/** Does one operation, from its beginning to its end. */
export type Operation = () => Promise<void>;

interface SessionOptions {
  readonly world: World;
  readonly random: Random;
  readonly add: AddEntry;
  readonly client: string;
  /** Whether a gateway was disturbed since a moment (`performance.now`). */
  readonly isExcused: (since: number) => boolean;
  /** Whether a gateway's clock was wrong since a moment (`performance.now`). */
  readonly isClockWrong: (since: number) => boolean;
}

/** Milliseconds that an order has to end: the effect of a power command is looked for in each life of a conductor. */
const ORDER_MS = 400_000;

export function openSession({
  world,
  random,
  add,
  client,
  isExcused,
  isClockWrong,
}: SessionOptions): Session {
  const call: Session['call'] = async (persona, line, body) => {
    const began = performance.now();
    const sent = await send(world.cluster, persona, line, body);
    const status = sent?.status ?? null;
    const outcome = outcomeOf(status);
    add({
      kind: 'request',
      client,
      line,
      status,
      outcome,
      decision: sent?.decision ?? null,
      tookMs: Math.round(performance.now() - began),
      isExcused: isExcused(began),
      isClockWrong: isClockWrong(began),
    });
    return { status, json: parsed(sent?.text ?? ''), outcome };
  };
  return {
    world,
    random,
    add,
    call,
    inDoubt: async ({ outcome }) => {
      if (outcome === 'unknown') await sleep(DOUBT_MS);
    },
    atRest: async (uuid) => {
      const until = performance.now() + ORDER_MS;
      while (performance.now() < until) {
        const { status, json } = await call(systemAdmin, `GET /v1/nodes/${uuid}`);
        if (status === 200 && isAtRest(json as NodeView)) return json as NodeView;
        await sleep(300);
      }
      return null;
    },
    pause: () => sleep(random.between(20, 200)),
  };
}

/** One request on a connection of its own, so that a dead replica does not delay other requests. */
async function send(
  tenure: Tenure,
  persona: Persona,
  line: string,
  body: unknown,
): Promise<Sent | null> {
  const [method = '', target = ''] = line.split(' ');
  const headers = {
    'X-OpenStack-Ironic-API-Version': 'latest',
    'X-Auth-Token': await tenure.token(persona),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
  };
  return new Promise((resolve) => {
    const late = setTimeout(() => {
      outgoing.destroy();
      resolve(null);
    }, PATIENCE_MS);
    const end = (sent: Sent | null): void => {
      clearTimeout(late);
      resolve(sent);
    };
    const outgoing = request(tenure.url + target, { method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        const decision = response.headers['x-tenure-decision-id'];
        end({
          status: response.statusCode ?? 502,
          decision: typeof decision === 'string' ? decision : null,
          text,
        });
      });
      response.on('error', () => {
        end(null);
      });
    });
    outgoing.on('error', () => {
      end(null);
    });
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function outcomeOf(status: number | null): Outcome {
  if (status === null || LEAVES_OPEN.includes(status)) return 'unknown';
  return status < 400 ? 'ok' : 'refused';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
