import { type ObserveDependency, observed, traced } from '@tenure/process';
import { Agent, request } from 'undici';
import { untilAborted } from '../until-aborted.js';

/** One call to a service of OpenStack. */
export interface JsonCall {
  readonly method: 'GET' | 'POST';
  /** Below the base of the service's URL, with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface JsonAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly json: unknown;
}

/** Calls to one service over kept connections. */
export interface JsonHttp {
  /** @throws Error when no whole JSON answer has come within the deadline */
  readonly call: (call: JsonCall) => Promise<JsonAnswer>;
  readonly close: () => Promise<void>;
}

const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const CONNECTIONS = 32;

export interface JsonHttpOptions {
  /** For errors, such as `Keystone`. */
  readonly service: string;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** Milliseconds for one call. */
  readonly deadlineMs: number;
  /** Called with the outcome of each call. */
  readonly observe?: ObserveDependency | undefined;
}

/** Trusts the certificates that Node trusts (`NODE_EXTRA_CA_CERTS`). */
export function createJsonHttp({
  service,
  baseUrl,
  deadlineMs,
  observe,
}: JsonHttpOptions): JsonHttp {
  const agent = new Agent({ connections: CONNECTIONS, connect: { timeout: deadlineMs } });
  const name = service.toLowerCase();
  const exchange: JsonHttp['call'] = async ({ method, path, headers, body }) => {
    const signal = AbortSignal.timeout(deadlineMs);
    const sent = request(`${baseUrl}${path}`, {
      method,
      dispatcher: agent,
      signal,
      headers: {
        accept: 'application/json',
        ...headers,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = await untilAborted(sent, signal);
    const text = await readLimited(service, answer.body as AsyncIterable<Buffer>); // undici's body yields buffers
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      // Not the parser's own message, which quotes the text: errors of Keystone quote tokens.
      throw new Error(`the answer of ${service} (${answer.statusCode}) is not JSON`);
    }
    return { status: answer.statusCode, headers: answer.headers, json };
  };
  return {
    // Neither path nor query: they name tokens and users.
    call: (call) =>
      traced(`${call.method} ${name}`, () => observed(observe, name, () => exchange(call)), {
        kind: 'client',
        attributes: { 'http.request.method': call.method, 'peer.service': name },
      }),
    close: () => agent.destroy(),
  };
}

async function readLimited(service: string, body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new Error(`the answer of ${service} is too large`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
