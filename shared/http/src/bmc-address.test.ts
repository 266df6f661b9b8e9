import { networkInterfaces } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { bmcUrlIn } from '@tenure/contracts';
import {
  assertBmcNetworks,
  createBmcAddressCheck,
  createBmcGuard,
  portOf,
  portsIn,
} from './bmc-address.js';

const OWN_PORT = 8182;
const PLACES = {
  bmcNetworks: [],
  bmcAllowLoopback: false,
  isOwnPort: (port: number) => port === OWN_PORT,
};
const usual = createBmcGuard(PLACES);
const local = createBmcGuard({ ...PLACES, bmcAllowLoopback: true });

describe('the permitted addresses of a BMC', () => {
  it.each([
    '127.0.0.1',
    '127.9.9.9',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '64:ff9b::127.0.0.1',
    '0.0.0.0',
    '::',
    '169.254.169.254',
    '::ffff:169.254.169.254',
    '64:ff9b::169.254.169.254',
    '2002:a9fe:a9fe::1',
    'fe80::1',
    'fec0::1',
    '224.0.0.1',
    '255.255.255.255',
    '64:ff9b::224.0.0.1',
    'ff02::1',
    'fd00:ec2::254',
    '100.100.100.200',
    '168.63.129.16',
    'localhost',
    '',
  ])('do not include %j', (address) => {
    expect(usual(address, 443)).toBe(false);
  });

  it.each(['192.0.2.7', '10.1.2.3', '2001:db8::7', 'fd12::7', '64:ff9b::192.0.2.7'])(
    'hold %s',
    (address) => {
      expect(usual(address, 443)).toBe(true);
    },
  );

  it('include loopback where that is allowed, and no other refused address', () => {
    expect(local('127.0.0.1', 8000)).toBe(true);
    expect(local('::1', 8000)).toBe(true);
    expect(local('169.254.169.254', 80)).toBe(false);
    expect(local('0.0.0.0', 8000)).toBe(false);
  });

  it('do not include own listeners, at loopback or at an interface', () => {
    expect(local('127.0.0.1', OWN_PORT)).toBe(false);
    expect(local('127.0.0.9', OWN_PORT)).toBe(false);
    expect(local('::ffff:127.0.0.1', OWN_PORT)).toBe(false);
    expect(usual('192.0.2.7', OWN_PORT)).toBe(true);
    for (const { address } of Object.values(networkInterfaces()).flatMap((all) => all ?? []))
      expect(local(address.replace(/%.*$/u, ''), OWN_PORT)).toBe(false);
  });

  it('are only those of the networks, if any are set', () => {
    const within = createBmcGuard({ ...PLACES, bmcNetworks: ['10.20.0.0/16', '2001:db8::/32'] });
    expect(within('10.20.1.2', 443)).toBe(true);
    expect(within('::ffff:10.20.1.2', 443)).toBe(true);
    expect(within('2001:db8::7', 443)).toBe(true);
    expect(within('10.21.1.2', 443)).toBe(false);
    const loopback = createBmcGuard({ ...PLACES, bmcNetworks: ['127.0.0.0/8', '169.254.0.0/16'] });
    expect(loopback('127.0.0.1', 8000)).toBe(false);
    expect(loopback('169.254.1.1', 8000)).toBe(false);
    const other = createBmcGuard({
      ...PLACES,
      bmcAllowLoopback: true,
      bmcNetworks: ['10.20.0.0/16'],
    });
    expect(other('127.0.0.1', 8000)).toBe(false);
  });

  it('are not set by an invalid block', () => {
    expect(() => {
      assertBmcNetworks({ bmcNetworks: ['10.0.0.0/8', 'racks'] });
    }).toThrow('CONDUCTOR_BMC_NETWORKS: entry 2 is no IP address and no CIDR block');
    expect(() => {
      assertBmcNetworks({ bmcNetworks: ['0.0.0.0/0'] });
    }).toThrow('CONDUCTOR_BMC_NETWORKS: entry 1 holds every address');
  });
});

describe('the ports of the same machine that no BMC uses', () => {
  it('are those of the parts and those in the environment', () => {
    const ports = portsIn({
      CONDUCTOR_MEDIA_PORT: '31193',
      INVENTORY_URL: 'http://127.0.0.1:31182',
      MONGODB_URI: 'mongodb://user:pw@127.0.0.1:31017/?a=b',
      GATEWAY_PORT: '0',
      SOME_PORT: 'tcp://10.0.0.1:80',
      LOG_LEVEL: '31999',
    });
    expect([...ports].sort((a, b) => a - b)).toEqual(
      [...new Set([...portsIn({}), 31_017, 31_182, 31_193])].sort((a, b) => a - b),
    );
    expect(portsIn({}).has(8182)).toBe(true);
    expect(portsIn({}).has(9182)).toBe(true);
  });
});

describe('the address of a BMC', () => {
  it.each([
    ['192.0.2.7', 'https://192.0.2.7', 443],
    ['http://192.0.2.7', 'http://192.0.2.7', 80],
    ['https://[2001:db8::7]:8443', 'https://[2001:db8::7]:8443', 8443],
    ['http://2130706433', 'http://127.0.0.1', 80],
    ['0x7f.1', 'https://127.0.0.1', 443],
  ])('%s leads to %s', (text, origin, port) => {
    const url = bmcUrlIn(text);
    expect([url?.origin, url === undefined ? 0 : portOf(url)]).toEqual([origin, port]);
  });

  it.each(['ftp://192.0.2.7', 'https://', 'file:///etc/passwd', 'x y'])(
    '%s leads nowhere',
    (text) => {
      expect(bmcUrlIn(text)).toBeUndefined();
    },
  );
});

describe('a record with the address of a BMC', () => {
  const check = createBmcAddressCheck(usual);

  it.each([
    'https://127.0.0.1',
    '127.0.0.1:8000',
    'http://2130706433',
    'http://[::ffff:127.0.0.1]:8182',
    'http://169.254.169.254',
    'http://localhost:8000',
  ])('is refused for %s', async (address) => {
    await expect(check(address)).rejects.toMatchObject({
      status: 400,
      message: 'driver_info/redfish_address names a place at which no BMC may be.',
    });
  });

  it.each(['https://192.0.2.7', 'bmc.invalid', 'ftp://127.0.0.1', undefined, null, 7])(
    'is taken for %j',
    async (address) => {
      await expect(check(address)).resolves.toBeUndefined();
    },
  );
});
