import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as ask,
  type RequestListener,
} from 'node:http';
import { duplexPair } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { LISTENER_LIMITS } from '@tenure/http';
import { type ListAnswer, type ListRequest } from '../../ports/list-readers.js';

/** The response of an app. */
export type AppAnswer = Omit<ListAnswer, 'activeMs'>;

// Headers of the original connection.
const LEFT_OUT: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding']);

/** Sends requests to an app through Node's HTTP module over a pair of streams instead of a socket. */
export function inProcess(app: RequestListener): (request: ListRequest) => Promise<AppAnswer> {
  const server = createServer(LISTENER_LIMITS, app);
  return async ({ method, target, headers, body }) => {
    const [near, far] = duplexPair();
    server.emit('connection', far);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      ask({
        method,
        path: target,
        headers: {
          ...carried(headers),
          connection: 'close',
          ...(body.length > 0 && { 'content-length': body.length }),
        },
        createConnection: () => near,
      })
        .once('response', resolve)
        .once('error', reject)
        .end(body);
    });
    const { statusCode = 500 } = answer;
    return { status: statusCode, headers: answer.headers, body: await buffer(answer) };
  };
}

const carried = (headers: IncomingHttpHeaders): OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !LEFT_OUT.has(name)));
