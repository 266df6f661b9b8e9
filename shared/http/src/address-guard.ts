import { lookup as dnsLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { lookup as resolve } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { inTime } from '@tenure/process';
import { addressesIn } from './address-blocks.js';
import { ipAddressIn } from './ip-address.js';

/** Addresses that no machine of the fleet has, but other services may (link-local, multicast, metadata). */
const isForbidden = addressesIn([
  '0.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  // IPv6 addresses that embed an IPv4 address: a refused one from above, or loopback.
  '::/96',
  '64:ff9b::7f00:0/104',
  '64:ff9b::/104',
  '64:ff9b::a9fe:0/112',
  '64:ff9b::e000:0/99',
  '2002:7f00::/24',
  '2002:a9fe::/32',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
  'fd00:ec2::254',
]);

/** Whether an IP address is in a loopback range. */
export const isLoopback = addressesIn(['127.0.0.0/8', '::1']);

/** Whether an IP address may be called. */
export type AddressGuard = (address: string) => boolean;

/**
 * The guard of every address that is called: it refuses link-local, metadata or group address.
 * @param allowLoopback also the conductor's own machine, for tests
 */
export const addressGuard =
  (allowLoopback: boolean): AddressGuard =>
  (address) =>
    isIP(address) !== 0 && (isLoopback(address) ? allowLoopback : !isForbidden(address));

/** The host of a URL, without the brackets of IPv6. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/gu, '');

/** The one spelling of an IP address; undefined for a name. */
export const literalIn = (host: string): string | undefined => ipAddressIn(host)?.text;

/** The URL of an agent or an image: http or https, with a host and without userinfo; undefined for any other. */
export function agentUrlIn(text: string): URL | undefined {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return undefined;
  return url.username === '' && url.password === '' && url.hostname !== '' ? url : undefined;
}

/** The canonical addresses of a name in the resolver's order; none without an address, or without an answer in time. */
export async function addressesOf(host: string, withinMs: number): Promise<readonly string[]> {
  const found = await inTime(
    withinMs,
    resolve(host, { all: true }).catch(() => []),
    () => [],
  );
  return found.map(({ address }) => literalIn(address) ?? address);
}

/**
 * The first permitted address of a host.
 * @param withinMs milliseconds that the resolver has for a name
 * @returns undefined when there is none
 */
export async function allowedAddressOf(
  url: URL,
  guard: AddressGuard,
  withinMs: number,
): Promise<string | undefined> {
  const host = hostOf(url);
  const literal = literalIn(host);
  const candidates = literal === undefined ? await addressesOf(host, withinMs) : [literal];
  return candidates.find(guard);
}

/** Resolves a name for a connection, and gives no address that is not allowed. */
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

/** Resolves every name to one address, which was checked when it was pinned. */
export const pinnedLookup =
  (address: string): LookupFunction =>
  (_hostname, options: LookupOptions, callback) => {
    const family = isIP(address);
    if (options.all === true) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };
