import { type Server } from 'node:http';
import { type Socket } from 'node:net';

/** Milliseconds without progress after which a client counts as one that does not read its answer. */
export const STALLED_MS = 45_000;

/**
 * Ends the connections of clients that do not read, after once to twice `stalledMs`. Node's timer of a socket starts anew
 * whenever the kernel has taken bytes of a write, so it only fires where nothing moved: a client that reads slowly is kept.
 * One that waits for its answer is kept, too: nothing waits to be sent to it.
 * @param isAnswering whether a request of the connection is being answered; any other is idle, and its time is over
 */
export function endStalledClients(
  server: Server,
  isAnswering: (socket: Socket) => boolean,
  stalledMs: number,
): void {
  server.timeout = stalledMs;
  // A listener of this event has to end the connection, also when it was only idle for too long.
  server.on('timeout', (socket: Socket) => {
    // With a reset: the kernel keeps nothing for a client that does not read, either.
    if (socket.writableLength > 0) socket.resetAndDestroy();
    else if (!isAnswering(socket)) socket.destroy();
  });
}
