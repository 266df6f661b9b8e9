import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { type Socket } from 'node:net';

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  /** Milliseconds to drain connections when stopping. */
  readonly drainMs?: number;
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

const closeParserError = (_error: Error, socket: Socket): void => {
  if (socket.writable)
    socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  else socket.destroy();
};

const drain = (server: Server, drainMs: number): Promise<void> =>
  new Promise((resolve) => {
    const force = setTimeout(() => {
      server.closeAllConnections();
    }, drainMs);
    server.close(() => {
      clearTimeout(force);
      resolve();
    });
    server.closeIdleConnections();
  });

/**
 * Starts a hardened HTTP/1.1 listener.
 * `stop` takes no new connections, lets requests in flight finish, and closes what is left after `drainMs`.
 */
export const startListener = async (
  handler: RequestListener,
  options: ListenerOptions,
): Promise<Listener> => {
  const server = createServer(LISTENER_LIMITS, handler);
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
    stop: () => drain(server, options.drainMs ?? DEFAULT_DRAIN_MS),
  };
};
