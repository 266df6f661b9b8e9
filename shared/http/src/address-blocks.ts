import { BlockList } from 'node:net';
import { firstInBlock, type IpAddress, ipAddressIn } from './ip-address.js';

/** A block of addresses: those that begin with the first `bits` bits of `first`. */
interface Block {
  readonly first: IpAddress;
  readonly bits: number;
}

const ENTRY = /^(?<address>[^/]+)(?:\/(?<prefix>0|[1-9][0-9]{0,2}))?$/u;
/** Bits before the IPv4 address in an IPv6 address that maps one. */
const MAPPED_BITS = 96;
const BITS = { ipv4: 32, ipv6: 128 } as const;

/**
 * The problems of the entries of a variable that lists IP addresses and CIDR blocks, each by its position: values are
 * not repeated.
 * @param everybody why a block of all addresses is refused, as the end of a sentence about the entry
 */
export const addressBlockProblems = (
  env: string,
  entries: readonly string[],
  everybody: string,
): readonly string[] =>
  entries
    .map((entry) => blockIn(entry, everybody))
    .flatMap((block, index) =>
      typeof block === 'string' ? [`${env}: entry ${index + 1} ${block}`] : [],
    );

/**
 * Whether an address lies in one of the blocks.
 * @throws Error for entries that have problems (`addressBlockProblems`)
 */
export function blocksOf(
  entries: readonly string[],
  everybody = 'holds every address',
): (address: IpAddress) => boolean {
  // One for each family: a list of both takes IPv4 addresses for members of short IPv6 blocks.
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const block of entries.map((entry) => blockIn(entry, everybody))) {
    if (typeof block === 'string') throw new Error(`an address block ${block}`);
    const { first, bits } = block;
    lists[first.family].addSubnet(first.text, bits, first.family);
  }
  return ({ family, text }) => lists[family].check(text, family);
}

/**
 * Whether a text is an IP address in one of the blocks; an IPv4 address written as IPv6 counts as the IPv4 address.
 * @throws Error for entries that have problems (`addressBlockProblems`)
 */
export function addressesIn(entries: readonly string[]): (text: string) => boolean {
  const isIn = blocksOf(entries);
  return (text) => {
    const address = ipAddressIn(text);
    return address !== undefined && isIn(address);
  };
}

function blockIn(entry: string, everybody: string): Block | string {
  const block = parsed(entry);
  if (block === undefined) return 'is no IP address and no CIDR block (10.0.0.0/8, 2001:db8::/32)';
  const { first, bits } = block;
  if (bits < 1) return everybody;
  return firstInBlock(first, bits) === first.text
    ? block
    : 'names an address within its block, and not the block';
}

/** An IPv4 block may be written as IPv6, too. */
function parsed(entry: string): Block | undefined {
  const { address = '', prefix } = ENTRY.exec(entry)?.groups ?? {};
  const first = ipAddressIn(address);
  const most = address.includes(':') ? BITS.ipv6 : BITS.ipv4;
  const bits = Number(prefix ?? most);
  if (first === undefined || bits > most) return undefined;
  return { first, bits: most === BITS[first.family] ? bits : bits - MAPPED_BITS };
}
