import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An IP address in its one spelling. */
export interface IpAddress {
  readonly family: 'ipv4' | 'ipv6';
  readonly text: string;
  /** The smallest network of one customer: the address itself, of IPv6 its /64. */
  readonly network: string;
}

/** Groups of 16 bits in the /64 of an address. */
const NETWORK_GROUPS = 4;

/**
 * An address alone, without port, brackets or zone; undefined for anything else. The IPv4 address that `::ffff:0:0/96` holds
 * is that address, however it is written.
 */
export function ipAddressIn(text: string): IpAddress | undefined {
  if (isIPv4(text)) return ipv4(text);
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const host = URL.parse(`http://[${text}]/`)?.hostname;
  return host === undefined ? undefined : ipv6(host.slice(1, -1));
}

/** The first address of the block of addresses whose first `bits` bits are those of an address. */
export function firstInBlock({ family, text }: IpAddress, bits: number): string {
  const addresses = family === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return addresses.networkAddressFromCIDR(`${text}/${bits}`).toString();
}

const ipv4 = (text: string): IpAddress => ({ family: 'ipv4', text, network: text });

/** @param canonical as URLs spell it, without dots: the library takes `::192.0.2.7` for `::ffff:192.0.2.7` */
function ipv6(canonical: string): IpAddress {
  const address = ipaddr.IPv6.parse(canonical);
  if (address.isIPv4MappedAddress()) return ipv4(address.toIPv4Address().toString());
  const prefix = address.parts.slice(0, NETWORK_GROUPS).map((group) => group.toString(16));
  return { family: 'ipv6', text: canonical, network: `${prefix.join(':')}::/64` };
}
