import { type Socket } from 'node:net';

/** Counts the connections to all BMCs, so that those which are kept for the next request stay few. */
export interface OpenSockets {
  readonly opened: (socket: Socket) => void;
  /** Whether a connection is to be closed after its answer, because enough are open. */
  readonly isFull: () => boolean;
}

/** @param most connections that may stay open between two requests */
export const createOpenSockets = (most: number): OpenSockets => {
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
};
