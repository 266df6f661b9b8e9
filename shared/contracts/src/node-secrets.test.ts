import { describe, expect, it } from '@jest/globals';
import { hiddenMarkIn, isSecretKey, withoutSecrets } from './node-secrets.js';

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
    'snmp_community',
    'snmp_community_read',
    'apikey',
    'api_key',
    'apiKey',
    'auth_blob',
    'ipmi_pass',
    'pass',
    'adminPass',
    'ssh_key_contents',
    'swift_temp_url',
    'tempurl',
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
    'author',
    'authority',
    'compass',
    'passthru_mode',
    'image_ref',
    'communities_served',
    'key_count',
    'template_url_of',
  ])('%s is not a secret in driver_info', (key) => {
    expect(isSecretKey('driver_info', key)).toBe(false);
  });
});

describe('hiding', () => {
  it('reaches any depth and keeps other values', () => {
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

  it.each([
    ['https://user:pw@images.example/a.img', '******'],
    ['https://images.example/a.img?temp_url_sig=abc&temp_url_expires=1', '******'],
    ['https://s3.example/a.img?X-Amz-Date=1&X-Amz-Signature=abc', '******'],
    ['https://images.example/a@b.img?arch=x86', 'https://images.example/a@b.img?arch=x86'],
    ['7c1bd2f4-0d4c-4a6c-9f0a-0c6a4d3e8a11', '7c1bd2f4-0d4c-4a6c-9f0a-0c6a4d3e8a11'],
  ])('shows the image reference %s as %s', (value, expected) => {
    expect(withoutSecrets('instance_info', { image_ref: value })).toEqual({ image_ref: expected });
  });

  it('does not change fields in which clients keep their own data', () => {
    expect(withoutSecrets('extra', { password: 'x' })).toEqual({ password: 'x' });
  });
});

describe('the replacement text in a client’s value', () => {
  it.each([
    ['driver_info', { redfish_password: '******' }, 'driver_info/redfish_password'],
    ['driver_info', { a: [{ token: '******' }] }, 'driver_info/a/0/token'],
    ['driver_info', { a_token: ['******'] }, 'driver_info/a_token/0'],
    ['instance_info', { configdrive: '******' }, 'instance_info/configdrive'],
    ['instance_info', { image_ref: '******' }, 'instance_info/image_ref'],
    ['driver_info', { redfish_password: 'real', note: '******' }, undefined],
    ['extra', { password: '******' }, undefined],
  ])('in %s %j is found at %s', (field, value, expected) => {
    expect(hiddenMarkIn(field, value)).toBe(expected);
  });
});
