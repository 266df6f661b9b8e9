import {
  createServer,
  request as ask,
  type IncomingMessage,
  type RequestListener,
} from 'node:http';
import { duplexPair } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { LISTENER_LIMITS } from '@tenure/http';
import { type ListAnswer, type ListRequest } from '../../ports/list-readers.js';

/** What an app answered. */
export type AppAnswer = Omit<ListAnswer, 'activeMs'>;

/** Asks an app, over Node's own HTTP but without a socket. */
export const inProcess = (app: RequestListener): ((request: ListRequest) => Promise<AppAnswer>) => {
  const server = createServer(LISTENER_LIMITS, app);
  return async ({ method, target, headers, body }) => {
    const [near, far] = duplexPair();
    server.emit('connection', far);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      ask({
        method,
        path: target,
        headers: {
          ...headers,
          connection: 'close',
          'transfer-encoding': undefined,
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
};
