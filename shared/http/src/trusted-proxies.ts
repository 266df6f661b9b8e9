import { Type } from '@sinclair/typebox';
import { addressBlockProblems, blocksOf } from './address-blocks.js';
import { type IpAddress } from './ip-address.js';

const EVERYBODY = 'would trust everybody, so that each client could choose its address';

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

/** The problems of the entries of such a variable, each by its position: values are not repeated. */
export const trustedProxyProblems = (env: string, entries: readonly string[]): readonly string[] =>
  addressBlockProblems(env, entries, EVERYBODY);

/**
 * Whether an address is that of a trusted proxy.
 * @throws Error for entries that have problems
 */
export const trustIn = (entries: readonly string[]): ((address: IpAddress) => boolean) =>
  blocksOf(entries, EVERYBODY);
