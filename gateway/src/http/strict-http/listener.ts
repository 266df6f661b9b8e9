import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, type Socket } from 'node:net';
import { LISTENER_LIMITS, watchConnections } from '@tenure/http';
import { refuseRaw } from './raw-refusal.js';

export interface StrictListenerOptions {
  readonly host: string;
  readonly port: number;
  /** Grace period of a stop: milliseconds in which open connections are still served. */
  readonly shutdownDelayMs: number;
  /** Maximum milliseconds of a stop, including the grace period. */
  readonly drainMs: number;
}

/** A listening gateway. */
export interface StrictListener {
  readonly port: number;
  readonly stop: () => Promise<void>;
}

interface InFlight {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

// Headers and body (`BODY_DEADLINE_MS`), both as slow as they may be, are answered within 10 s.
const HEADER_LIMITS = { headersTimeout: 4000, connectionsCheckingInterval: 500 } as const;

/**
 * Starts the public listener. Requests that Node would answer by itself get the gateway's answers instead: `Expect` and
 * `Upgrade` reach the handler, which refuses them; CONNECT and malformed requests get a complete error response.
 * Requests that follow a refused one on its connection are ignored.
 */
export async function startStrictListener(
  handler: RequestListener,
  options: StrictListenerOptions,
): Promise<StrictListener> {
  const inFlight = new WeakMap<Socket, InFlight>();
  const onRequest: RequestListener = (request, response) => {
    const { socket } = request;
    const before = inFlight.get(socket);
    if (before !== undefined && willClose(before.response)) return;
    inFlight.set(socket, { request, response });
    connections.began(request, response);
    handler(request, response);
  };
  // Node itself would answer a missing Host with an empty 400; the handler checks it.
  const limits = { ...LISTENER_LIMITS, ...HEADER_LIMITS, requireHostHeader: false };
  const server = createServer(limits, onRequest);
  const connections = watchConnections(server);
  server.on('checkContinue', onRequest);
  server.on('checkExpectation', onRequest);
  server.on('connect', (_request, socket: Socket) => {
    refuseRaw(new Error('CONNECT'), socket);
  });
  server.on('clientError', onClientError(inFlight));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo; // a listening TCP server's address is an AddressInfo
  return { port, stop: () => connections.stop(options) };
}

const willClose = (response: ServerResponse): boolean =>
  response.getHeader('connection') === 'close';

/**
 * Answers what the parser refused. When an earlier request of the same connection is still being answered,
 * its answer goes first: a client pairs answers with requests by their order.
 */
const onClientError =
  (inFlight: WeakMap<Socket, InFlight>) =>
  (error: Error, socket: Socket): void => {
    const current = inFlight.get(socket);
    const isEarlier = current?.request.complete === true && !current.response.writableFinished;
    if (isEarlier)
      current.response.once('close', () => {
        refuseRaw(error, socket);
      });
    else if (current !== undefined && !current.request.complete && current.response.headersSent)
      socket.destroy();
    else refuseRaw(error, socket);
  };
