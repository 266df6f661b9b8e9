import { Agent, request } from 'undici';

/** One call to Keystone; the path starts after `/v3`. */
export interface KeystoneCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface KeystoneAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly json: unknown;
}

/** Calls to one Keystone over kept connections. */
export interface KeystoneHttp {
  /** @throws Error when no whole JSON answer has come within the deadline */
  readonly call: (call: KeystoneCall) => Promise<KeystoneAnswer>;
  readonly close: () => Promise<void>;
}

const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const CONNECTIONS = 32;

const readLimited = async (body: AsyncIterable<Buffer>): Promise<string> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new Error('the answer of Keystone is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

/**
 * @param baseUrl with `/v3`, without a slash at the end
 * @param deadlineMs milliseconds for one call
 */
export const createKeystoneHttp = (baseUrl: string, deadlineMs: number): KeystoneHttp => {
  const agent = new Agent({ connections: CONNECTIONS, connect: { timeout: deadlineMs } });
  return {
    call: async ({ method, path, headers, body }) => {
      const answer = await request(`${baseUrl}${path}`, {
        method,
        dispatcher: agent,
        signal: AbortSignal.timeout(deadlineMs),
        headers: {
          accept: 'application/json',
          ...headers,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await readLimited(answer.body as AsyncIterable<Buffer>); // undici's body yields buffers
      let json: unknown;
      try {
        json = JSON.parse(text);
      } catch {
        // Not the parser's own message, which quotes the text: errors of Keystone quote tokens.
        throw new Error(`the answer of Keystone (${answer.statusCode}) is not JSON`);
      }
      return { status: answer.statusCode, headers: answer.headers, json };
    },
    close: () => agent.destroy(),
  };
};
