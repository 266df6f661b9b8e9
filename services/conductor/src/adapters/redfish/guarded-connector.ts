import { type PlaceGuard, guardedLookup, hostOf, literalIn, portOf } from '@tenure/http';
import { buildConnector } from 'undici';
import { type OpenSockets } from './open-sockets.js';

/**
 * Connects to one BMC, but only to addresses that the guard allows. A host name is resolved for each connection. No byte is
 * sent to any other address.
 */
export function guardedConnector(
  origin: string,
  { guard, sockets }: { readonly guard: PlaceGuard; readonly sockets: OpenSockets },
  options: buildConnector.BuildOptions,
): buildConnector.connector {
  const url = new URL(origin);
  const port = portOf(url);
  const mayCall = (address: string): boolean => guard(address, port);
  const connect = buildConnector({ ...options, lookup: guardedLookup(mayCall) });
  const literal = literalIn(hostOf(url));
  return (target, callback) => {
    // A connection to an IP address never calls `lookup`.
    if (literal === undefined || mayCall(literal))
      connect(target, (...result) => {
        const [error, socket] = result;
        if (error === null) sockets.opened(socket);
        callback(...result);
      });
    else callback(Object.assign(new Error('forbidden address'), { code: 'ENOTFOUND' }), null);
  };
}
