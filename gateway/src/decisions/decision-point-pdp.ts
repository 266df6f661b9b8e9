import {
  type Agent,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as requestHttp,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import { DecisionAnswer, matches, UnavailableError } from '@tenure/contracts';
import { createAgent } from '../http/agent.js';
import { type DecisionPoint } from './decision-point.js';

export interface PdpOptions {
  /** For example `http://127.0.0.1:8181`. */
  readonly baseUrl: string;
  /** Bearer token for the decision API; undefined on loopback. */
  readonly token: string | undefined;
}

const TARGET = '/v1/data/tenure/authz/decision';
const MAX_ANSWER_BYTES = 1024 * 1024;

const unavailable = (cause: unknown): UnavailableError =>
  new UnavailableError('The policy could not be asked.', { cause });

interface Ask {
  readonly body: string;
  readonly headers: OutgoingHttpHeaders;
  readonly deadlineMs: number;
}

/** The text of a 200 answer; everything else, and everything late, is an error. */
const textOf = (answer: IncomingMessage): Promise<string> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    answer.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_ANSWER_BYTES) answer.destroy(new Error('the answer of the PDP is too large'));
      else chunks.push(chunk);
    });
    answer.once('end', () => {
      if (answer.statusCode === 200) resolve(Buffer.concat(chunks).toString('utf8'));
      else reject(new Error(`the PDP answered ${answer.statusCode ?? 0}`));
    });
    answer.once('error', reject);
    answer.once('close', () => {
      reject(new Error('the answer of the PDP broke off'));
    });
  });

const post = (url: URL, agent: Agent, { body, headers, deadlineMs }: Ask): Promise<string> =>
  new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? requestHttps : requestHttp;
    const asked = request(url, { method: 'POST', agent, headers }, (answer) => {
      textOf(answer).then(resolve, reject);
    });
    const timer = setTimeout(() => {
      asked.destroy(new Error('the PDP did not answer in time'));
    }, deadlineMs);
    asked.once('close', () => {
      clearTimeout(timer);
    });
    asked.once('error', reject);
    asked.end(body);
  });

/** Asks the PDP over kept connections (docs/contracts.md, "PDP"). */
export const createPdpClient = (
  options: PdpOptions,
): DecisionPoint & { readonly close: () => void } => {
  const url = new URL(TARGET, options.baseUrl);
  // node:http, not undici: next to the proxy, whose code it shares, it needs 90 µs of CPU less for each request.
  const agent = createAgent(options.baseUrl);
  const fixed = {
    'content-type': 'application/json',
    ...(options.token !== undefined && { authorization: `Bearer ${options.token}` }),
  };
  const askFor = async (body: string, requestId: string, deadlineMs: number): Promise<unknown> => {
    const headers = {
      ...fixed,
      'content-length': Buffer.byteLength(body),
      'x-openstack-request-id': requestId,
    };
    return JSON.parse(await post(url, agent, { body, headers, deadlineMs }));
  };
  return {
    decide: async (question, requestId, deadlineMs) => {
      let answer: unknown;
      try {
        answer = await askFor(JSON.stringify({ input: question }), requestId, deadlineMs);
      } catch (error) {
        throw unavailable(error);
      }
      if (!matches(DecisionAnswer, answer))
        throw unavailable(new Error('the answer is not a decision'));
      return answer;
    },
    close: () => {
      agent.destroy();
    },
  };
};
