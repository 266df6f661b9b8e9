import { type IncomingHttpHeaders } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { AppError, CONTEXT_HEADER, UnavailableError } from '@tenure/contracts';
import { isOver, remainingMs, traceHeaders } from '@tenure/process';
import { Client, type Dispatcher } from 'undici';
import { FORWARDED_HEADER, type Peers, type ReceivedOrder } from '../ports/peers.js';

/** Milliseconds until a conductor that does not take the connection counts as out of reach. */
const CONNECT_MS = 1000;

// They belong to one connection, or are set again.
const NOT_RELAYED: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'date',
]);

/**
 * The other conductors over HTTP. Each request has a connection of its own: a kept-alive connection may be closed by the peer
 * just when it is used, and then it is uncertain whether the request was carried out.
 * @param self name of this conductor, for the log of the peer
 */
export function createHttpPeers(self: string): Peers {
  const exchange = async (
    client: Client,
    order: ReceivedOrder,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> => {
    const { method, target, body } = order;
    const answer = await client.request({
      method,
      path: target,
      headers: headersOf(order, self),
      body: body.length > 0 ? body : null,
      signal,
    });
    // The context came too late, or the keys differ: our own fault, not the caller's.
    if (answer.statusCode === 401)
      throw new UnavailableError('The conductor that serves the node could not answer.');
    return answer;
  };
  return {
    forward: async (url, order, response, deadline) => {
      if (isOver(deadline)) return false;
      const ms = Math.ceil(remainingMs(deadline));
      const client = new Client(url, {
        connect: { timeout: Math.min(CONNECT_MS, ms) },
        headersTimeout: ms,
        bodyTimeout: ms,
      });
      const connection = { isOpen: false };
      client.on('connect', () => {
        connection.isOpen = true;
      });
      const late = AbortSignal.timeout(ms);
      try {
        const answer = await exchange(client, order, late);
        response.writeHead(answer.statusCode, relayed(answer.headers));
        await pipeline(answer.body, response);
        return true;
      } catch (error) {
        if (!connection.isOpen) return false;
        throw lost(error, late.aborted);
      } finally {
        await client.destroy();
      }
    },
  };
}

const headersOf = ({ context, body }: ReceivedOrder, self: string) => ({
  [CONTEXT_HEADER]: context,
  [FORWARDED_HEADER]: self,
  ...traceHeaders(),
  accept: 'application/json',
  ...(body.length > 0 && { 'content-type': 'application/json' }),
});

const relayed = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_RELAYED.has(name)));

function lost(error: unknown, isLate: boolean): AppError {
  if (error instanceof AppError) return error;
  const late = 'The conductor that serves the node did not answer in time.';
  if (isLate) return new AppError('upstream_timeout', 504, late, { cause: error });
  const broken = 'The answer of the conductor that serves the node was lost.';
  return new AppError('bad_gateway', 502, broken, { cause: error });
}
