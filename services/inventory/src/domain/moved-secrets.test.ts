import { describe, expect, it } from '@jest/globals';
import { makeNode } from '../testing/fixtures.js';
import { applyPatch, parsePatch } from '../testing/node-patches.js';
import { assertSecretsStay } from './moved-secrets.js';

const STORED = {
  redfish_address: 'https://bmc.example',
  redfish_password: 'p',
  ipmi_password: 'q',
  ipmi_address: '192.0.2.1',
};

function move(driverInfo: Record<string, unknown>, ...operations: unknown[]): void {
  const before = makeNode({ driver_info: driverInfo });
  const parsed = parsePatch(operations, 65);
  assertSecretsStay(before, applyPatch(before, parsed), parsed);
}

const replaces = (name: string, value: unknown) => ({
  op: 'add',
  path: `/driver_info/${name}`,
  value,
});

describe('an address that moves', () => {
  it.each([
    ['redfish_address', 'redfish_password'],
    ['redfish_proxy_address', 'redfish_password'],
    ['REDFISH_address', 'redfish_password'],
    ['ipmi_address', 'ipmi_password'],
  ])('by %s does not take %s along', (address, secret) => {
    expect(() => {
      move(STORED, replaces(address, 'https://evil.example'));
    }).toThrow(
      `driver_info/${address} names another host: set driver_info/${secret} again in the same request.`,
    );
  });

  it('is fine with its secret in the same request, or the same origin', () => {
    expect(() => {
      move(
        STORED,
        replaces('redfish_address', 'https://new.example'),
        replaces('redfish_password', 'new'),
      );
      move(STORED, {
        op: 'replace',
        path: '/driver_info',
        value: { redfish_address: 'https://new.example', redfish_password: 'n' },
      });
      move(STORED, replaces('redfish_address', 'https://bmc.example/'));
      move(STORED, replaces('snmp_address', 'https://new.example'));
    }).not.toThrow();
  });
});

describe('what the search for moved secrets costs', () => {
  const readsOf = (count: number): number => {
    let reads = 0;
    const addresses = (host: string): Record<string, unknown> =>
      Object.fromEntries(
        Array.from({ length: count }, (_, at) => [
          `d${String(at)}_address`,
          `${host}${String(at)}`,
        ]),
      );
    const watched = new Proxy(addresses('a'), {
      ownKeys: (target) => {
        reads += Object.keys(target).length;
        return Reflect.ownKeys(target);
      },
      get: (target, name, receiver): unknown => {
        reads += 1;
        return Reflect.get(target, name, receiver);
      },
    });
    const before = makeNode({ driver_info: watched });
    reads = 0;
    assertSecretsStay(before, makeNode({ driver_info: addresses('b') }), []);
    return reads;
  };

  it('grows with the number of addresses, and not with its square', () => {
    const [some, twice] = [readsOf(500), readsOf(1000)];
    expect(some).toBeLessThan(5 * 500);
    expect(twice).toBeLessThan(2.1 * some);
  });
});
