import {
  createServer,
  type IncomingMessage,
  request as send,
  type ServerResponse,
} from 'node:http';
import { freePort } from './processes.js';

/** Stands before a gateway, and answers some requests for a node as the gateway does when it has too much to do. */
export interface RefusingProxy {
  readonly url: string;
  /** Refuses the next so many requests for a node. */
  refuse(status: 429 | 503, times: number): void;
  /** Requests for a node since `refuse`, those included that were refused. */
  came(): number;
  stop(): Promise<void>;
}

const MESSAGES = {
  429: 'Too many requests of this project are being served; try again shortly.',
  503: 'Too many requests are being served; try again shortly.',
} as const;

const fault = (text: string): string =>
  JSON.stringify({
    error_message: JSON.stringify({ faultcode: 'Client', faultstring: text, debuginfo: null }),
  });

const passOn = (target: URL, request: IncomingMessage, response: ServerResponse): void => {
  const { method, url: path, headers } = request;
  const { hostname, port, host } = target;
  const asked = send({ hostname, port, method, path, headers: { ...headers, host } }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  asked.on('error', () => response.destroy());
  request.pipe(asked);
};

/** Starts one before the gateway at `gatewayUrl`. */
export async function startRefusingProxy(gatewayUrl: string): Promise<RefusingProxy> {
  const target = new URL(gatewayUrl);
  const left: { status: 429 | 503; times: number } = { status: 503, times: 0 };
  let came = 0;
  const server = createServer((request, response) => {
    const isCounted = (request.url ?? '').startsWith('/v1/nodes/');
    if (isCounted) came += 1;
    if (!isCounted || left.times === 0) {
      passOn(target, request, response);
      return;
    }
    left.times -= 1;
    request.resume();
    // As the gateway does, for a client that cannot read Retry-After.
    const isBare = (request.headers['user-agent'] ?? '').includes('python-ironicclient');
    response
      .writeHead(isBare ? 503 : left.status, {
        'content-type': 'application/json',
        ...(!isBare && { 'retry-after': '1' }),
      })
      .end(fault(MESSAGES[left.status]));
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String(port)}`,
    refuse: (status, times) => {
      Object.assign(left, { status, times });
      came = 0;
    },
    came: () => came,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
