import { type Socket } from 'node:net';

/** Counts the connections to all BMCs, to limit the number of idle ones. */
export interface OpenSockets {
  readonly opened: (socket: Socket) => void;
  /** Whether a connection must be closed after its response, because too many are open. */
  readonly isFull: () => boolean;
}

/** @param most maximum of connections that stay open between two requests */
export function createOpenSockets(most: number): OpenSockets {
  let open = 0;
  return {
    opened: (socket) => {
      open += 1;
      socket.once('close', () => {
        open -= 1;
      });
    },
    isFull: () => open > most,
  };
}
