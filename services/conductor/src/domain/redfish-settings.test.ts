import { describe, expect, it } from '@jest/globals';
import { aNode } from '@tenure/testing';
import { redfishSettingsOf } from './redfish-settings.js';

const settings = (info: Readonly<Record<string, unknown>>): unknown =>
  redfishSettingsOf(
    aNode({ driver: 'redfish', driver_info: { redfish_address: 'https://192.0.2.7', ...info } }),
  );

describe('redfish settings', () => {
  it('are few when little is said', () => {
    expect(settings({})).toEqual({
      origin: 'https://192.0.2.7',
      systemPath: null,
      username: null,
      password: null,
      trust: 'system',
      auth: 'auto',
    });
  });

  it('are read from driver_info', () => {
    const info = {
      redfish_address: 'http://bmc.example:8000/',
      redfish_system_id: '/redfish/v1/Systems/System.Embedded.1/',
      redfish_username: 'u',
      redfish_password: 'p',
      redfish_verify_ca: '/etc/ca.pem',
      redfish_auth_type: 'session',
    };
    expect(settings(info)).toEqual({
      origin: 'http://bmc.example:8000',
      systemPath: '/redfish/v1/Systems/System.Embedded.1',
      username: 'u',
      password: 'p',
      trust: { caFile: '/etc/ca.pem' },
      auth: 'session',
    });
  });

  it('take an address without scheme for https, and a bare id for a system of that name', () => {
    expect(settings({ redfish_address: 'bmc.example', redfish_system_id: '1' })).toMatchObject({
      origin: 'https://bmc.example',
      systemPath: '/redfish/v1/Systems/1',
    });
  });

  it.each([
    [true, 'system'],
    ['True', 'system'],
    [false, 'none'],
    ['false', 'none'],
  ])('take redfish_verify_ca %p for %s', (value, trust) => {
    expect(settings({ redfish_verify_ca: value })).toMatchObject({ trust });
  });

  it.each([
    [{ redfish_address: null }, 'redfish_address is missing in driver_info'],
    [{ redfish_address: 7 }, 'redfish_address must be a string of at most 1024 characters'],
    [{ redfish_address: 'ftp://bmc' }, 'redfish_address must be an http or https address'],
    [{ redfish_address: 'file:///etc/passwd' }, 'redfish_address must be an http or https address'],
    [{ redfish_address: 'https://u:s3cret@bmc' }, 'redfish_address must not hold credentials'],
    [{ redfish_address: 'https://bmc/path' }, 'redfish_address must be scheme, host and port only'],
    [{ redfish_address: 'https://bmc/?x' }, 'redfish_address must be scheme, host and port only'],
    [
      { redfish_system_id: '/redfish/../etc' },
      'redfish_system_id must be the path of a system, without query or dot segments',
    ],
    [
      { redfish_system_id: '/redfish?x=1' },
      'redfish_system_id must be the path of a system, without query or dot segments',
    ],
    [
      { redfish_system_id: '//other.example/x' },
      'redfish_system_id must be the path of a system, without query or dot segments',
    ],
    [
      { redfish_system_id: '/a\r\nHost: x' },
      'redfish_system_id must be the path of a system, without query or dot segments',
    ],
    [
      { redfish_verify_ca: 'ca.pem' },
      'redfish_verify_ca must be true, false or the absolute path of a CA file',
    ],
    [
      { redfish_verify_ca: 3 },
      'redfish_verify_ca must be true, false or the absolute path of a CA file',
    ],
    [{ redfish_username: 'u' }, 'redfish_username and redfish_password must be given together'],
    [
      { redfish_password: 's3cret' },
      'redfish_username and redfish_password must be given together',
    ],
    [{ redfish_auth_type: 'magic' }, 'redfish_auth_type must be basic, session or auto'],
    [
      { redfish_auth_type: 'basic' },
      'redfish_auth_type basic needs redfish_username and redfish_password',
    ],
  ])('refuse %j', (info, message) => {
    expect(() => settings(info)).toThrow(message);
  });
});
