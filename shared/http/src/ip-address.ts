import { isIPv4, isIPv6 } from 'node:net';

/** An IP address in its one spelling. */
export interface IpAddress {
  readonly family: 'ipv4' | 'ipv6';
  readonly text: string;
  /** What one customer has at least: the address itself, of IPv6 its /64. */
  readonly network: string;
}

const GROUPS = 8;

/** @param canonical an IPv6 address as URLs spell it: without dots */
const groupsOf = (canonical: string): readonly number[] => {
  const [before = [], after = []] = canonical
    .split('::')
    .map((half) => (half === '' ? [] : half.split(':')));
  const zeros = Array<string>(GROUPS - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
};

const dotted = (high: number, low: number): string =>
  [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');

const ipv4 = (text: string): IpAddress => ({ family: 'ipv4', text, network: text });

/** The IPv4 address that `::ffff:0:0/96` holds is that address, whoever wrote it so. */
const ipv6 = (canonical: string): IpAddress => {
  const groups = groupsOf(canonical);
  const [a, b, c, d, e, mark, high = 0, low = 0] = groups;
  if ([a, b, c, d, e].every((group) => group === 0) && mark === 0xffff)
    return ipv4(dotted(high, low));
  const prefix = groups.slice(0, GROUPS / 2).map((group) => group.toString(16));
  return { family: 'ipv6', text: canonical, network: `${prefix.join(':')}::/64` };
};

/** An address alone, without port, brackets or zone; undefined for anything else. */
export const ipAddressIn = (text: string): IpAddress | undefined => {
  if (isIPv4(text)) return ipv4(text);
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const host = URL.parse(`http://[${text}]/`)?.hostname;
  return host === undefined ? undefined : ipv6(host.slice(1, -1));
};

/** Its bits, 32 or 128 of them, as zeros and ones. */
export const bitsOf = ({ family, text }: IpAddress): string =>
  family === 'ipv4'
    ? text
        .split('.')
        .map((byte) => Number(byte).toString(2).padStart(8, '0'))
        .join('')
    : groupsOf(text)
        .map((group) => group.toString(2).padStart(16, '0'))
        .join('');
