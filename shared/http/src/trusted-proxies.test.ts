import { expect, it } from '@jest/globals';
import { ipAddressIn } from './ip-address.js';
import { trustedProxyProblems, trustIn } from './trusted-proxies.js';

const NONE = 'is no IP address and no CIDR block (10.0.0.0/8, 2001:db8::/32)';
const EVERYBODY = 'would trust everybody, so that each client could choose its address';
const WITHIN = 'names an address within its block, and not the block';

it.each([
  ['ingress', NONE],
  ['10.0.0', NONE],
  ['10.0.0.0/', NONE],
  ['10.0.0.0/33', NONE],
  ['10.0.0.0/-1', NONE],
  ['10.0.0.0/08', NONE],
  ['10.0.0.0/8/8', NONE],
  ['10.0.0.0/255.0.0.0', NONE],
  ['010.0.0.1', NONE],
  ['10.0.0.1:80', NONE],
  ['2001:db8::/129', NONE],
  ['[2001:db8::1]', NONE],
  ['fe80::1%eth0', NONE],
  ['0.0.0.0/0', EVERYBODY],
  ['::/0', EVERYBODY],
  ['::ffff:0:0/96', EVERYBODY],
  ['10.0.0.1/8', WITHIN],
  ['2001:db8::1/32', WITHIN],
  ['::ffff:10.0.0.1/104', WITHIN],
])('%s as a trusted proxy is a problem, reported by its position', (entry, problem) => {
  expect(trustedProxyProblems('GATEWAY_TRUSTED_PROXIES', ['10.0.0.0/8', entry])).toEqual([
    `GATEWAY_TRUSTED_PROXIES: entry 2 ${problem}`,
  ]);
  expect(() => trustIn([entry])).toThrow(problem);
});

it.each<[entry: string, trusted: readonly string[], others: readonly string[]]>([
  ['192.0.2.7', ['192.0.2.7', '::ffff:192.0.2.7'], ['192.0.2.6', '192.0.2.8', '::192.0.2.7']],
  ['192.0.2.7/32', ['192.0.2.7'], ['192.0.2.6', '192.0.2.8']],
  ['192.0.2.8/30', ['192.0.2.8', '192.0.2.11'], ['192.0.2.7', '192.0.2.12']],
  ['128.0.0.0/1', ['128.0.0.0', '255.255.255.255'], ['127.255.255.255']],
  ['::ffff:10.0.0.0/104', ['10.0.0.0', '10.255.255.255', '::ffff:a00:1'], ['11.0.0.0', '::1']],
  ['::ffff:192.0.2.7', ['192.0.2.7'], ['192.0.2.6']],
  ['2001:DB8::/33', ['2001:db8:7fff:ffff::'], ['2001:db8:8000::', '2001:db9::']],
  ['2001:db8::7', ['2001:db8:0::0007'], ['2001:db8::8']],
  ['::/8', ['::1', '00ff::1'], ['10.0.0.1', '::ffff:10.0.0.1', '100::1']],
])('%s trusts its own addresses and no others', (entry, trusted, others) => {
  expect(trustedProxyProblems('PDP_TRUSTED_PROXIES', [entry])).toEqual([]);
  const trusts = trustIn([entry]);
  const isTrusted = (text: string): boolean | undefined => {
    const address = ipAddressIn(text);
    return address === undefined ? undefined : trusts(address);
  };
  expect(trusted.map(isTrusted)).toEqual(trusted.map(() => true));
  expect(others.map(isTrusted)).toEqual(others.map(() => false));
});

it('an empty list trusts no address', () => {
  expect(trustedProxyProblems('GATEWAY_TRUSTED_PROXIES', [])).toEqual([]);
  expect(trustIn([])({ family: 'ipv4', text: '127.0.0.1', network: '127.0.0.1' })).toBe(false);
});
