import { connect } from 'node:net';
import { type Persona } from './personas.js';
import { type Tenure } from './tenure.js';

/** An answer of the bare-metal API, read whole. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The body as JSON, or null where it is empty or something else. */
  readonly json: unknown;
}

interface Options {
  readonly body?: unknown;
  readonly version?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** How long the answer may take, in milliseconds. */
  readonly within?: number;
}

/** The answer over a raw connection. */
export interface RawResult {
  readonly answers: readonly {
    readonly status: number;
    readonly head: string;
    readonly body: string;
  }[];
  /** Whether the server closed the connection. */
  readonly closed: boolean;
  readonly received: string;
}

/**
 * One request to the gateway as a persona; `target` is path and query, `method` comes first: `'GET /v1/nodes'`.
 *
 * @throws when no answer has come within the time allowed
 */
export async function ask(
  tenure: Tenure,
  persona: Persona | null,
  line: string,
  options: Options = {},
): Promise<Answer> {
  const space = line.indexOf(' ');
  const headers = {
    Accept: 'application/json',
    'X-OpenStack-Ironic-API-Version': options.version ?? '1.65',
    ...(persona === null ? {} : { 'X-Auth-Token': await tenure.token(persona) }),
    ...(options.body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...options.headers,
  };
  const response = await fetch(tenure.url + line.slice(space + 1), {
    method: line.slice(0, space),
    headers,
    signal: AbortSignal.timeout(options.within ?? 15_000),
    ...(options.body === undefined
      ? {}
      : { body: typeof options.body === 'string' ? options.body : JSON.stringify(options.body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text,
    json: parse(text),
  };
}

/** One request at the newest version, with a body if there is one. */
export const askLatest = (
  tenure: Tenure,
  persona: Persona | null,
  line: string,
  body?: unknown,
): Promise<Answer> =>
  ask(tenure, persona, line, { version: 'latest', ...(body !== undefined && { body }) });

/** The sentence inside an Ironic error body, or null where the body is not one. */
export function faultString(text: string): string | null {
  const outer = parse(text);
  if (
    typeof outer !== 'object' ||
    outer === null ||
    !('error_message' in outer) ||
    typeof outer.error_message !== 'string'
  )
    return null;
  const inner = parse(outer.error_message);
  if (
    typeof inner !== 'object' ||
    inner === null ||
    !('faultstring' in inner) ||
    typeof inner.faultstring !== 'string'
  )
    return null;
  return inner.faultstring;
}

/**
 * Sends bytes as they are and gathers what comes back until the server closes or nothing has come for `quiet`
 * milliseconds after a first answer (a second answer to one request would come in that time).
 */
export function sendRaw(
  port: number,
  bytes: string | Buffer,
  { quiet = 700, patience = 8000 } = {},
): Promise<RawResult> {
  return new Promise((resolve, reject) => {
    let received = '';
    let timer = setTimeout(() => {
      socket.destroy(new Error('no answer'));
    }, patience);
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    const finish = (closed: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ answers: splitAnswers(received), closed, received });
    };
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      clearTimeout(timer);
      timer = setTimeout(() => {
        finish(false);
      }, quiet);
    });
    socket.on('end', () => {
      finish(true);
    });
    socket.on('error', (error) => {
      // A server that answers and closes while bytes are still coming resets the connection: that is closed.
      if (received !== '') finish(true);
      else {
        clearTimeout(timer);
        reject(error);
      }
    });
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function splitAnswers(received: string): RawResult['answers'] {
  const answers: RawResult['answers'][number][] = [];
  let rest = received;
  while (rest.startsWith('HTTP/1.')) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) break;
    const head = rest.slice(0, end);
    const status = Number(head.slice(9, 12));
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? Number.NaN);
    const chunked = /^transfer-encoding: *chunked/im.test(head);
    const bodyEnd = chunked
      ? rest.indexOf('0\r\n\r\n', end) + 5
      : end + 4 + (Number.isNaN(length) ? 0 : length);
    answers.push({ status, head, body: rest.slice(end + 4, bodyEnd) });
    rest = rest.slice(bodyEnd);
  }
  return answers;
}
