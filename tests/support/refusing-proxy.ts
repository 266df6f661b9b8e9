import {
  createServer,
  type IncomingMessage,
  request as send,
  type ServerResponse,
} from 'node:http';
import { freePort } from './processes.js';

/** A proxy before a gateway that refuses some requests for a node, as an overloaded gateway does. */
export interface RefusingProxy {
  readonly url: string;
  /** Refuses the next `times` requests for a node. */
  refuse(status: 429 | 503, times: number): void;
  /** Requests for a node since `refuse`, including refused ones. */
  came(): number;
  stop(): Promise<void>;
}

const MESSAGES = {
  429: 'Too many requests of this project are being served; try again shortly.',
  503: 'Too many requests are being served; try again shortly.',
} as const;

/** Starts a proxy before the gateway at `gatewayUrl`. */
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
    // The gateway does the same for a client that cannot handle Retry-After.
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

function passOn(target: URL, request: IncomingMessage, response: ServerResponse): void {
  const { method, url: path, headers } = request;
  const { hostname, port, host } = target;
  const outgoing = send(
    { hostname, port, method, path, headers: { ...headers, host } },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    },
  );
  outgoing.on('error', () => response.destroy());
  request.pipe(outgoing);
}

const fault = (text: string): string =>
  JSON.stringify({
    error_message: JSON.stringify({ faultcode: 'Client', faultstring: text, debuginfo: null }),
  });
