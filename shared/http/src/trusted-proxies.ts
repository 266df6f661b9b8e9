import { BlockList } from 'node:net';
import { Type } from '@sinclair/typebox';
import { bitsOf, type IpAddress, ipAddressIn } from './ip-address.js';

/** A block of addresses: those that begin with the first `bits` bits of `first`. */
interface Block {
  readonly first: IpAddress;
  readonly bits: number;
}

const ENTRY = /^(?<address>[^/]+)(?:\/(?<prefix>0|[1-9][0-9]{0,2}))?$/u;
/** Bits before the IPv4 address in an IPv6 address that stands for one. */
const MAPPED_BITS = 96;
const BITS = { ipv4: 32, ipv6: 128 } as const;

/** An IPv4 block may be written as IPv6, too. */
const parsed = (entry: string): Block | undefined => {
  const { address = '', prefix } = ENTRY.exec(entry)?.groups ?? {};
  const first = ipAddressIn(address);
  const most = address.includes(':') ? BITS.ipv6 : BITS.ipv4;
  const bits = Number(prefix ?? most);
  if (first === undefined || bits > most) return undefined;
  return { first, bits: most === BITS[first.family] ? bits : bits - MAPPED_BITS };
};

const blockIn = (entry: string): Block | string => {
  const block = parsed(entry);
  if (block === undefined) return 'is no IP address and no CIDR block (10.0.0.0/8, 2001:db8::/32)';
  const { first, bits } = block;
  if (bits < 1) return 'would trust everybody, so that each client could choose its address';
  return bitsOf(first).includes('1', bits)
    ? 'names an address within its block, and not the block'
    : block;
};

/** The variable with the proxies that a part trusts, and what it is for. */
export const trustedProxiesVariable = <const E extends string>(env: E, what: string) =>
  ({
    env,
    schema: Type.Array(Type.String({ maxLength: 64 }), {
      maxItems: 256,
      description: 'up to 256 IP addresses and CIDR blocks, comma-separated',
    }),
    fallback: [],
    about: `addresses and CIDR blocks of proxies whose X-Forwarded-For (never Forwarded) says ${what}; none: the connection does`,
  }) as const;

/** What is wrong with the entries of such a variable, each by its place: values are never told. */
export const trustedProxyProblems = (env: string, entries: readonly string[]): readonly string[] =>
  entries
    .map(blockIn)
    .flatMap((block, index) =>
      typeof block === 'string' ? [`${env}: entry ${index + 1} ${block}`] : [],
    );

/**
 * Whether an address is that of a trusted proxy.
 * @throws Error for entries that have problems
 */
export const trustIn = (entries: readonly string[]): ((address: IpAddress) => boolean) => {
  // One for each family: a list of both takes IPv4 addresses for members of short IPv6 blocks.
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const block of entries.map(blockIn)) {
    if (typeof block === 'string') throw new Error(`a trusted proxy ${block}`);
    const { first, bits } = block;
    lists[first.family].addSubnet(first.text, bits, first.family);
  }
  return ({ family, text }) => lists[family].check(text, family);
};
