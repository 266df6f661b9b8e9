import { type Answer, ask } from '../http-client.js';
import { type Persona } from '../personas.js';
import { type Tenure } from '../tenure.js';
import { sleep } from '../wait.js';

/** The expected answer to a request: a status, or one of several, and a check of the body. */
interface Expected {
  readonly status: number | readonly number[];
  readonly body?: unknown;
  /** For the compute API. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Describes an error in an answer of that status; undefined when there is none. */
  readonly complaint?: (json: unknown) => string | undefined;
}

/** Sends one request; undefined when it got no answer of the part that it was for, which is recorded. */
export type Call = (
  persona: Persona,
  line: string,
  expected: Expected,
) => Promise<Answer | undefined>;

/** A caller that repeats its operations until it is stopped. */
export type Client = (call: Call) => Promise<void>;

interface Report {
  readonly requests: number;
  /** Answers that are not what they must be. */
  readonly wrong: readonly string[];
  /** Requests that got no answer, or 502, 503 or 504. */
  readonly lost: readonly string[];
}

export interface Load {
  /** The events since the last call. */
  readonly look: () => Report;
  /** Ends after what each caller is at; what happened since the last look. */
  readonly end: () => Promise<Report>;
}

/** Ten seconds, after which the ingress answers for a gateway that does not, and the way there and back. */
const WITHIN_MS = 10_500;
/** Between two requests of a caller. Shorter ones keep both cores of a small machine busy, and show nothing more. */
const PAUSE_MS = 120;
const NO_ANSWER: readonly number[] = [502, 503, 504];

/** Has callers send requests until they are stopped, each one after the other, with small pauses. */
export function startLoad(tenure: Tenure, clients: readonly Client[]): Load {
  let requests = 0;
  let wrong: string[] = [];
  let lost: string[] = [];
  let isOver = false;

  const call: Call = async (persona, line, expected) => {
    await sleep(PAUSE_MS * (0.5 + Math.random()));
    requests += 1;
    const { body, headers } = expected;
    const answer = await ask(tenure, persona, line, {
      within: WITHIN_MS,
      ...(body !== undefined && { body }),
      ...(headers !== undefined && { headers }),
    }).catch((error: unknown) => String((error as { cause?: unknown }).cause ?? error));
    const request = `${stamp()} ${line}`;
    if (typeof answer === 'string') {
      // A deadline that passes is as wrong as a wrong answer.
      (answer.includes('Timeout') ? wrong : lost).push(`${request}: ${answer}`);
      return undefined;
    }
    if (isExpected(expected, answer.status)) {
      const complaint = expected.complaint?.(answer.json);
      if (complaint !== undefined) wrong.push(`${request}: ${complaint}`);
      return answer;
    }
    const said = `${request}: ${String(answer.status)} ${shortened(answer.text)}`;
    (NO_ANSWER.includes(answer.status) ? lost : wrong).push(said);
    return undefined;
  };

  const running = clients.map(async (client) => {
    while (!isOver) await client(call);
  });
  const look = (): Report => {
    const report = { requests, wrong, lost };
    [requests, wrong, lost] = [0, [], []];
    return report;
  };
  return {
    look,
    end: async () => {
      isOver = true;
      await Promise.all(running);
      return look();
    },
  };
}

const stamp = (): string => new Date().toISOString().slice(11, 23);

const isExpected = ({ status: expected }: Expected, status: number): boolean =>
  typeof expected === 'number' ? status === expected : expected.includes(status);

const shortened = (text: string): string => text.slice(0, 300);
