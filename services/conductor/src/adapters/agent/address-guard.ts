import { lookup as dnsLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** Addresses that no machine of the fleet has, and behind which something else may listen. */
const FORBIDDEN = new BlockList();
FORBIDDEN.addSubnet('0.0.0.0', 8, 'ipv4');
FORBIDDEN.addSubnet('169.254.0.0', 16, 'ipv4');
FORBIDDEN.addSubnet('224.0.0.0', 4, 'ipv4');
FORBIDDEN.addSubnet('240.0.0.0', 4, 'ipv4');
FORBIDDEN.addAddress('100.100.100.200', 'ipv4');
FORBIDDEN.addAddress('192.0.0.192', 'ipv4');
FORBIDDEN.addAddress('::', 'ipv6');
FORBIDDEN.addSubnet('fe80::', 10, 'ipv6');
FORBIDDEN.addSubnet('ff00::', 8, 'ipv6');
FORBIDDEN.addAddress('fd00:ec2::254', 'ipv6');

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

// An IPv4 address written as IPv6 is checked by these lists as the IPv4 address that it is.
const isIn = (list: BlockList, address: string): boolean =>
  list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** Whether an agent may be called at an address: never a link-local, metadata or group address. */
export type AddressGuard = (address: string) => boolean;

/** @param allowLoopback also the conductor's own machine, for tests */
export const addressGuard =
  (allowLoopback: boolean): AddressGuard =>
  (address) =>
    isIP(address) !== 0 && !isIn(FORBIDDEN, address) && (allowLoopback || !isIn(LOOPBACK, address));

/** Whether the URL is http or https, without userinfo, and its host no forbidden address; a name is judged when it is resolved. */
export const isAllowedUrl = (text: string, guard: AddressGuard): boolean => {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return false;
  if (url.username !== '' || url.password !== '' || url.hostname === '') return false;
  const host = url.hostname.replace(/^\[|\]$/gu, '');
  return isIP(host) === 0 || guard(host);
};

/** Resolves a name for a connection, and gives no address that is forbidden. */
export const guardedLookup =
  (guard: AddressGuard): LookupFunction =>
  (hostname, options: LookupOptions, callback) => {
    dnsLookup(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
      const allowed = error === null ? found.filter(({ address }) => guard(address)) : [];
      const [first] = allowed;
      if (error !== null) callback(error, '');
      else if (first === undefined)
        callback(Object.assign(new Error('forbidden address'), { code: 'ENOTFOUND' }), '');
      else if (options.all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
