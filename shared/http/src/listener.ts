import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { type Socket } from 'node:net';
import { watchConnections } from './connections.js';

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  /** Milliseconds for which a stop goes on serving connections whose clients may still use them; none by default. */
  readonly shutdownDelayMs?: number;
  /** Milliseconds that a stop may take, the shutdown delay included. */
  readonly drainMs?: number;
  /** Milliseconds without progress after which a client does not read its answer, and is closed; 45 s by default. */
  readonly stalledMs?: number;
  /** Answer to a request that the HTTP parser refused; written raw, and the socket is closed. */
  readonly onParserError?: (error: Error, socket: Socket) => void;
}

/** A listening server that can be drained. */
export interface Listener {
  readonly server: Server;
  readonly port: number;
  readonly stop: () => Promise<void>;
}

/** Limits of every listener: no lenient parsing, bounded headers, bounded waits. */
export const LISTENER_LIMITS: ServerOptions = {
  insecureHTTPParser: false,
  requireHostHeader: true,
  maxHeaderSize: 16_384,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
};

const DEFAULT_DRAIN_MS = 10_000;

/**
 * Starts a hardened HTTP/1.1 listener.
 * `stop` ends each connection with its next answer, lets requests in flight finish, and closes what is left after `drainMs`.
 */
export async function startListener(
  handler: RequestListener,
  options: ListenerOptions,
): Promise<Listener> {
  const server = createServer(LISTENER_LIMITS, (request, response) => {
    connections.began(request, response);
    handler(request, response);
  });
  const connections = watchConnections(server, { stalledMs: options.stalledMs });
  server.on('clientError', (error: Error, socket: Socket) => {
    (options.onParserError ?? closeParserError)(error, socket);
  });
  server.on('upgrade', (_request, socket: Socket) => {
    closeParserError(new Error('upgrade refused'), socket);
  });
  server.on('connect', (_request, socket: Socket) => {
    closeParserError(new Error('connect refused'), socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('the listener has no TCP address');
  return {
    server,
    port: address.port,
    stop: () => {
      const { shutdownDelayMs = 0, drainMs = DEFAULT_DRAIN_MS } = options;
      return connections.stop({ shutdownDelayMs, drainMs });
    },
  };
}

function closeParserError(_error: Error, socket: Socket): void {
  if (socket.writable)
    socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  else socket.destroy();
}
