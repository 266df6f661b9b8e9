import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { createAgent } from '../http/agent.js';

/** An endpoint for JSON POST requests, over keep-alive connections. */
export interface JsonPost {
  /**
   * The text of a response that may contain answers: 200, 207, or 500 when every question failed.
   * @throws Error for every other response, and when none is complete after `deadlineMs` milliseconds
   */
  readonly post: (body: string, deadlineMs: number) => Promise<string>;
  readonly close: () => void;
}

const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
const WITH_ANSWERS: readonly (number | undefined)[] = [200, 207, 500];

/** @param token returns the current bearer token; undefined where none is needed */
export function createJsonPost(url: URL, token: (() => string) | undefined): JsonPost {
  const agent = createAgent(url.href);
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  const post: JsonPost['post'] = (body, deadlineMs) =>
    new Promise((resolve, reject) => {
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        ...(token !== undefined && { authorization: `Bearer ${token()}` }),
      };
      const outgoing = request(url, { method: 'POST', agent, headers }, (answer) => {
        textOf(answer).then(resolve, reject);
      });
      const timer = setTimeout(() => {
        outgoing.destroy(new Error('no answer in time'));
      }, deadlineMs);
      outgoing.once('close', () => {
        clearTimeout(timer);
      });
      outgoing.once('error', reject);
      outgoing.end(body);
    });
  return {
    post,
    close: () => {
      agent.destroy();
    },
  };
}

const textOf = (answer: IncomingMessage): Promise<string> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    answer.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_ANSWER_BYTES) answer.destroy(new Error('the answer is too large'));
      else chunks.push(chunk);
    });
    answer.once('end', () => {
      if (WITH_ANSWERS.includes(answer.statusCode)) resolve(Buffer.concat(chunks).toString('utf8'));
      else reject(new Error(`answered ${String(answer.statusCode ?? 0)}`));
    });
    answer.once('error', reject);
    answer.once('close', () => {
      reject(new Error('the answer broke off'));
    });
  });
