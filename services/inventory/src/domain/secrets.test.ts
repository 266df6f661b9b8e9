import { describe, expect, it } from '@jest/globals';
import { hiddenMarkIn, isSecretKey, withoutSecrets } from './secrets.js';

describe('secret keys', () => {
  it.each([
    'redfish_password',
    'ipmi_password',
    'snmp_auth_key',
    'snmp_priv_key',
    'agent_secret_token',
    'adminPass',
    'auth_token',
    'ssh_private_key',
    'rescue_password',
    'KEY',
    'credentials',
    'hashed_rescue_passwd',
  ])('%s is one', (key) => {
    expect(isSecretKey('driver_info', key)).toBe(true);
  });

  it.each([
    'redfish_address',
    'redfish_username',
    'redfish_system_id',
    'keyboard',
    'vendor_passthru',
    'bypass',
    'configdrive',
    'monkey',
  ])('%s is none in driver_info', (key) => {
    expect(isSecretKey('driver_info', key)).toBe(false);
  });
});

describe('hiding', () => {
  it('reaches any depth and keeps what is no secret', () => {
    expect(
      withoutSecrets('driver_info', {
        a: [{ password: 'x', b: 1 }],
        c: { token: { d: 1 } },
        secret: null,
      }),
    ).toEqual({
      a: [{ password: '******', b: 1 }],
      c: { token: '******' },
      secret: null,
    });
  });

  it('leaves fields alone in which clients keep their own things', () => {
    expect(withoutSecrets('extra', { password: 'x' })).toEqual({ password: 'x' });
  });
});

describe('the mark in what a client sends', () => {
  it.each([
    ['driver_info', { redfish_password: '******' }, 'driver_info/redfish_password'],
    ['driver_info', { a: [{ token: '******' }] }, 'driver_info/a/0/token'],
    ['driver_info', { a_token: ['******'] }, 'driver_info/a_token/0'],
    ['instance_info', { configdrive: '******' }, 'instance_info/configdrive'],
    ['driver_info', { redfish_password: 'real', note: '******' }, undefined],
    ['extra', { password: '******' }, undefined],
  ])('in %s %j is found at %s', (field, value, expected) => {
    expect(hiddenMarkIn(field, value)).toBe(expected);
  });
});
