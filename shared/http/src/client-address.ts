import { type IncomingMessage } from 'node:http';
import { isIPv6, type Socket } from 'node:net';
import { type IpAddress, ipAddressIn } from './ip-address.js';
import { trustIn } from './trusted-proxies.js';

/** Where a request comes from. */
export interface ClientAddress {
  /** For records: an IP address in its one spelling; empty when the connection was closed already. */
  readonly address: string;
  /** For limits: the same, of IPv6 its /64, for one customer has all of that. */
  readonly network: string;
  /** Of the client's connection; undefined where that ends at a proxy. */
  readonly port: number | undefined;
}

/** The connection that a request came over. */
type Connection = Pick<Socket, 'remoteAddress' | 'remotePort'>;

export type ClientAddressOf = (
  request: Pick<IncomingMessage, 'headers' | 'rawHeaders'> & { readonly socket: Connection },
) => ClientAddress;

const MAX_ENTRIES = 32;
/** Lines of a header section; of one with many more, Node leaves some out, and the proxy's may be among them. */
const MAX_LINES = 1000;

/** An address as proxies write it: alone, or with a port, for which IPv6 is in brackets. */
const ENTRY =
  /^[ \t]*(?:(?:\[(?<bracketed>[0-9A-Fa-f:.]{2,45})\]|(?<plain>[0-9.]{7,15}))(?::[0-9]{1,5})?|(?<bare>[0-9A-Fa-f:.]{2,45}))[ \t]*$/u;

interface Peer {
  readonly client: ClientAddress;
  /** Undefined when the peer is not a trusted proxy. */
  readonly proxy: IpAddress | undefined;
}

const UNKNOWN: Peer = { client: { address: '', network: '', port: undefined }, proxy: undefined };

/**
 * Finds the client of a request: the other end of the connection, unless that is a trusted proxy. Then its `X-Forwarded-For`
 * counts, all lines of it in order; never `Forwarded` or `X-Real-IP`. Never throws, for any content of the header.
 * @param trustedProxies IP addresses and CIDR blocks without problems (`trustedProxyProblems`); none, and no header is looked at
 * @throws Error for entries that have problems
 */
export function createClientAddresses(trustedProxies: readonly string[]): ClientAddressOf {
  const trusts = trustIn(trustedProxies);
  const peers = new WeakMap<Connection, Peer>();

  const newPeer = (socket: Connection): Peer => {
    // A link-local address comes with the name of the interface.
    const address = ipAddressIn(socket.remoteAddress?.split('%', 1)[0] ?? '');
    if (address === undefined) return UNKNOWN;
    const { text, network } = address;
    const client = { address: text, network, port: socket.remotePort };
    const peer = { client, proxy: trusts(address) ? address : undefined };
    peers.set(socket, peer);
    return peer;
  };

  return ({ socket, headers, rawHeaders }) => {
    const { client, proxy } = peers.get(socket) ?? newPeer(socket);
    if (proxy === undefined) return client;
    const forwarded = headers['x-forwarded-for'];
    if (typeof forwarded !== 'string' || rawHeaders.length > 2 * MAX_LINES) return client;
    const found = walkBack(forwarded, proxy, trusts);
    return found === proxy
      ? client
      : { address: found.text, network: found.network, port: undefined };
  };
}

/**
 * Walks back along the proxies of a request, from the one that is connected: each added the address that was connected to it.
 * The first address that is not a trusted proxy is the client. Entries left of it are ignored: the client may have forged them.
 * Where an entry is malformed, the last valid address counts as the client.
 */
function walkBack(
  forwarded: string,
  proxy: IpAddress,
  trusts: (address: IpAddress) => boolean,
): IpAddress {
  let farthest = proxy;
  let end = forwarded.length;
  for (let entries = 0; entries < MAX_ENTRIES && end > 0; entries += 1) {
    const start = forwarded.lastIndexOf(',', end - 1) + 1;
    const entry = entryIn(forwarded.slice(start, end));
    if (entry === undefined) return farthest;
    farthest = entry;
    if (!trusts(entry)) return entry;
    end = start - 1;
  }
  return farthest;
}

function entryIn(text: string): IpAddress | undefined {
  const { bracketed, plain, bare } = ENTRY.exec(text)?.groups ?? {};
  if (bracketed !== undefined && !isIPv6(bracketed)) return undefined;
  return ipAddressIn(bracketed ?? plain ?? bare ?? '');
}
