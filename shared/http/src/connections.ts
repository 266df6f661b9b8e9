import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { endStalledClients, STALLED_MS } from './stalled-clients.js';

interface StopTimes {
  /** Milliseconds for which connections are still served, and new ones taken, because their clients may not know yet. */
  readonly shutdownDelayMs: number;
  /** Milliseconds until the remaining connections are cut, the shutdown delay included. */
  readonly drainMs: number;
}

interface ConnectionTimes {
  /** Milliseconds after which a connection is old. */
  readonly maxAgeMs?: number;
  /** Milliseconds without progress after which a client does not read its answer. */
  readonly stalledMs?: number | undefined;
}

/** The connections of a listener, which end without losing a request. */
export interface Connections {
  /** Called for each request before it is handled. */
  readonly began: (request: IncomingMessage, response: ServerResponse) => void;
  /** Resolves once every connection has ended and none is taken any more. Called once. */
  readonly stop: (times: StopTimes) => Promise<void>;
}

interface Kept {
  /** `performance.now()` from which answers end the connection. */
  readonly until: number;
  /** The answer that is under way. */
  response: ServerResponse | undefined;
  /** Bytes that had come when it became idle: when there are more, a request is arriving. */
  bytes: number;
}

/** Milliseconds; replicas that come later get their share of connections that soon. */
const MAX_AGE_MS = 30_000;
const SWEEP_MS = 50;

/**
 * Watches over the connections of a server. One that is old ends with its next answer, so that a replica that came later gets its
 * share; while stopping, each does. An idle one is closed only when nothing came over it for the shutdown delay: a client that
 * keeps idle connections for less never has a request broken off, and one that keeps them for longer hardly ever.
 * One whose client does not read its answer is ended as well.
 */
export function watchConnections(
  server: Server,
  { maxAgeMs = MAX_AGE_MS, stalledMs = STALLED_MS }: ConnectionTimes = {},
): Connections {
  const kept = new Map<Socket, Kept>();
  endStalledClients(server, (socket) => kept.get(socket)?.response !== undefined, stalledMs);
  let isStopping = false;
  server.on('connection', (socket: Socket) => {
    keep(kept, socket, maxAgeMs);
  });

  const began: Connections['began'] = ({ socket }, response) => {
    const one = kept.get(socket);
    if (one === undefined) return;
    one.response = response;
    response.once('close', () => {
      if (one.response !== response) return;
      one.response = undefined;
      one.bytes = socket.bytesRead;
    });
    if (isStopping || performance.now() >= one.until) endWithAnswer(response);
  };

  // Node's own `closeIdleConnections` leaves those alone over which nothing ever came.
  const closeIdle = (): void => {
    for (const [socket, one] of kept) if (isIdle(socket, one)) socket.destroySoon();
  };

  const keepServing = (shutdownDelayMs: number): Promise<void> =>
    new Promise((resolve) => {
      const over = performance.now() + shutdownDelayMs;
      const look = (): void => {
        if (kept.size > 0 && performance.now() < over) return;
        clearInterval(sweep);
        resolve();
      };
      const sweep = setInterval(look, SWEEP_MS);
      look();
    });

  const close = (): Promise<void> =>
    new Promise((resolve) => {
      const sweep = setInterval(closeIdle, SWEEP_MS);
      server.close(() => {
        clearInterval(sweep);
        resolve();
      });
      closeIdle();
    });

  return {
    began,
    stop: async ({ shutdownDelayMs, drainMs }) => {
      isStopping = true;
      for (const { response } of kept.values()) if (response !== undefined) endWithAnswer(response);
      const force = setTimeout(() => {
        server.closeAllConnections();
      }, drainMs);
      await keepServing(shutdownDelayMs);
      await close();
      clearTimeout(force);
    },
  };
}

function keep(kept: Map<Socket, Kept>, socket: Socket, maxAgeMs: number): void {
  // Not all at the same time: after half of it to all of it.
  const until = performance.now() + maxAgeMs * (0.5 + Math.random() / 2);
  kept.set(socket, { until, response: undefined, bytes: 0 });
  socket.once('close', () => {
    kept.delete(socket);
  });
}

function endWithAnswer(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

const isIdle = (socket: Socket, { response, bytes }: Kept): boolean =>
  response === undefined && socket.bytesRead === bytes;
