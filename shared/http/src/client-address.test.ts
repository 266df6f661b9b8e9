import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request as ask } from 'node:http';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { type ClientAddress, createClientAddresses } from './client-address.js';

const PROXIES = ['10.0.0.0/8', '192.0.2.7', '2001:db8:a::/48'];

type Received = Parameters<ReturnType<typeof createClientAddresses>>[0];

/** A request over a connection from `peer`, with as many other header lines. */
const from = (peer: string | undefined, forwarded?: string, otherLines = 0): Received => ({
  socket: { remoteAddress: peer, remotePort: 40_000 },
  headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  rawHeaders: Array<string>(2 * otherLines).fill('a'),
});

const clientOf = (received: Received, proxies = PROXIES): ClientAddress =>
  createClientAddresses(proxies)(received);

describe('the address of a client', () => {
  it.each<[what: string, peer: string, forwarded: string | undefined, address: string]>([
    ['that says nothing', '198.51.100.1', undefined, '198.51.100.1'],
    ['that comes by no proxy, whatever it says', '198.51.100.1', '203.0.113.9', '198.51.100.1'],
    ['that says it is a proxy', '198.51.100.1', '10.0.0.1', '198.51.100.1'],
    ['beside the block of the proxies', '11.0.0.1', '203.0.113.9', '11.0.0.1'],
    ['behind one proxy', '10.1.2.3', '203.0.113.9', '203.0.113.9'],
    ['behind two', '10.1.2.3', '203.0.113.9, 10.9.9.9', '203.0.113.9'],
    ['behind three of two kinds', '192.0.2.7', '203.0.113.9,10.9.9.9 ,\t10.8.8.8', '203.0.113.9'],
    ['with a list of its own', '10.1.2.3', '192.0.2.1, 203.0.113.9', '203.0.113.9'],
    ['that wants to be a proxy', '10.1.2.3', '192.0.2.1, 203.0.113.9, 10.0.0.1', '203.0.113.9'],
    ['that puts a proxy in front', '10.1.2.3', '10.0.0.1, 203.0.113.9', '203.0.113.9'],
    ['with nonsense of its own', '10.1.2.3', 'unknown, <x>,, 203.0.113.9', '203.0.113.9'],
    ['behind an untrusted proxy', '10.1.2.3', '203.0.113.9, 198.51.100.4', '198.51.100.4'],
    ['behind a proxy with IPv6', '2001:db8:a:1::2', '2001:db8:b::9', '2001:db8:b::9'],
    ['of IPv6, spelt otherwise', '10.1.2.3', '2001:0DB8:000B:0:0::0009', '2001:db8:b::9'],
    ['of IPv4 behind one with IPv6', '2001:db8:a::2', '203.0.113.9', '203.0.113.9'],
    ['of IPv4 at a listener for both', '::ffff:198.51.100.1', undefined, '198.51.100.1'],
    ['behind a proxy at such a one', '::ffff:10.1.2.3', '203.0.113.9', '203.0.113.9'],
    ['with an IPv4 address as IPv6', '10.1.2.3', '::ffff:203.0.113.9', '203.0.113.9'],
    ['with the same in hexadecimal', '10.1.2.3', '::ffff:cb00:7109', '203.0.113.9'],
    ['behind a proxy written so', '10.1.2.3', '203.0.113.9, ::FFFF:10.0.0.1', '203.0.113.9'],
    ['with a port', '10.1.2.3', '203.0.113.9:51234', '203.0.113.9'],
    ['of IPv6 with a port', '10.1.2.3', '[2001:db8:b::9]:51234', '2001:db8:b::9'],
    ['of IPv6 in brackets', '10.1.2.3', '[2001:db8:b::9]', '2001:db8:b::9'],
    ['on the same link', 'fe80::1%eth0', '203.0.113.9', 'fe80::1'],
  ])('%s', (_what, peer, forwarded, address) => {
    expect(clientOf(from(peer, forwarded)).address).toBe(address);
  });

  it.each<[what: string, forwarded: string, address: string]>([
    ['no header', '', '10.1.2.3'],
    ['blanks', ' \t ', '10.1.2.3'],
    ['a comma', ',', '10.1.2.3'],
    ['an empty entry at the end', '203.0.113.9,', '10.1.2.3'],
    ['a list that begins with a comma', ',10.9.9.9', '10.9.9.9'],
    ['a word', 'unknown', '10.1.2.3'],
    ['a word before a proxy', '203.0.113.9, unknown, 10.9.9.9', '10.9.9.9'],
    ['a name', '203.0.113.9, localhost', '10.1.2.3'],
    ['a number', '3405803785', '10.1.2.3'],
    ['a short form', '10.1', '10.1.2.3'],
    ['leading zeros', '203.0.113.009', '10.1.2.3'],
    ['hexadecimal', '0xcb.0.0x71.9', '10.1.2.3'],
    ['a byte too large', '203.0.113.256', '10.1.2.3'],
    ['five bytes', '203.0.113.9.1', '10.1.2.3'],
    ['a block', '203.0.113.0/24', '10.1.2.3'],
    ['a zone', 'fe80::1%eth0', '10.1.2.3'],
    ['two addresses without a comma', '203.0.113.9 198.51.100.4', '10.1.2.3'],
    ['IPv4 in brackets', '[203.0.113.9]', '10.1.2.3'],
    ['a port without a number', '203.0.113.9:', '10.1.2.3'],
    ['a port of six digits', '203.0.113.9:123456', '10.1.2.3'],
    ['a bracket that stays open', '[2001:db8:b::9', '10.1.2.3'],
    ['quotes', '"203.0.113.9"', '10.1.2.3'],
    ['what Forwarded would hold', 'for=203.0.113.9', '10.1.2.3'],
    ['a line end', '203.0.113.9\n', '10.1.2.3'],
    ['a blank that is none of HTTP', '203.0.113.9\u00a0', '10.1.2.3'],
    ['two times ::', '2001::db8::9', '10.1.2.3'],
    ['nothing but proxies', '10.7.7.7, 10.9.9.9', '10.7.7.7'],
    ['a lone surrogate', '\ud800', '10.1.2.3'],
    ['a very long word', 'a'.repeat(16_000), '10.1.2.3'],
    ['very many blanks', `${' '.repeat(16_000)}x`, '10.1.2.3'],
    ['very many commas', ','.repeat(16_000), '10.1.2.3'],
  ])('is the last valid one when the header of a proxy has %s', (_what, forwarded, address) => {
    expect(clientOf(from('10.1.2.3', forwarded)).address).toBe(address);
  });

  it('is looked for in 32 entries and no more', () => {
    const chain = (proxies: number): string =>
      [
        '203.0.113.9',
        ...Array.from({ length: proxies }, (_, at) => `10.0.0.${proxies - at}`),
      ].join();
    expect(clientOf(from('10.1.2.3', chain(31))).address).toBe('203.0.113.9');
    expect(clientOf(from('10.1.2.3', chain(32))).address).toBe('10.0.0.32');
    const ofClient = Array<string>(500).fill('192.0.2.1').join();
    expect(clientOf(from('10.1.2.3', `${ofClient}, 203.0.113.9`)).address).toBe('203.0.113.9');
  });

  it('is that of the connection without trusted proxies, and where there are so many lines that some are lost', () => {
    expect(clientOf(from('10.1.2.3', '203.0.113.9'), []).address).toBe('10.1.2.3');
    expect(clientOf(from('10.1.2.3', '203.0.113.9', 1000)).address).toBe('203.0.113.9');
    expect(clientOf(from('10.1.2.3', '203.0.113.9', 1001)).address).toBe('10.1.2.3');
  });

  it('has a port where the connection is its own', () => {
    expect(clientOf(from('198.51.100.1', '203.0.113.9')).port).toBe(40_000);
    expect(clientOf(from('10.1.2.3')).port).toBe(40_000);
    expect(clientOf(from('10.1.2.3', '203.0.113.9')).port).toBeUndefined();
  });

  it('is empty when the connection is closed', () => {
    expect(clientOf(from(undefined, '203.0.113.9'))).toEqual({
      address: '',
      network: '',
      port: undefined,
    });
  });

  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff::', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::', '2001:db8:1:3::/64'],
    ['2001:db8::7', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['1:2:3:4:5:6:7::', '1:2:3:4::/64'],
    ['::2:3:4:5:6:7:8', '0:2:3:4::/64'],
  ])('%s is limited as %s', (address, network) => {
    expect(clientOf(from(address)).network).toBe(network);
    expect(clientOf(from('10.1.2.3', address)).network).toBe(network);
  });
});

it('over one connection of a proxy each request has the address of its own client, all header lines in order', async () => {
  const addressOf = createClientAddresses(['127.0.0.0/8']);
  const server = createServer((request, response) => {
    response.end(addressOf(request).address);
  });
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // listening on TCP
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const addressFrom = async (...lines: string[]): Promise<string> => {
    const headers = { 'X-Forwarded-For': lines };
    const sent = ask({ port, host: '127.0.0.1', agent, headers }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]; // what a request emits
    return text(answer);
  };
  expect(await addressFrom('192.0.2.1', '203.0.113.9, 127.0.0.3')).toBe('203.0.113.9');
  expect(await addressFrom('203.0.113.9', '192.0.2.1')).toBe('192.0.2.1');
  expect(await addressFrom()).toBe('127.0.0.1');
  expect(connections).toBe(1);
  agent.destroy();
  server.close();
});
