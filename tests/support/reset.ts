import { type Socket } from 'node:net';

/**
 * Resets a connection. One whose end is under way is closed instead: Node cannot reset it, would leave it open, and would
 * never exit.
 */
export function reset(socket: Socket): void {
  const isEnding = socket.writableEnded && !socket.writableFinished && socket.writableLength === 0;
  if (isEnding) socket.destroy();
  else socket.resetAndDestroy();
}
