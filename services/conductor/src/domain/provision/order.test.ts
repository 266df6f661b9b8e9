import { describe, expect, it } from '@jest/globals';
import { api, parse } from '@tenure/contracts';
import { orderOf } from './order.js';

const order = (body: unknown, minor = 109) =>
  orderOf(parse(api.VERB.provision, body, 'provision'), minor, () => '$6$salt$hash');

const RAID = { interface: 'raid', step: 'create_configuration' };

describe('a verb', () => {
  it.each([
    [{ target: 'manage' }, 3],
    [{ target: 'provide' }, 3],
    [{ target: 'inspect' }, 5],
    [{ target: 'abort' }, 12],
    [{ target: 'clean', clean_steps: [RAID] }, 14],
    [{ target: 'adopt' }, 16],
    [{ target: 'rescue', rescue_password: 'p' }, 37],
    [{ target: 'unrescue' }, 37],
    [{ target: 'deploy' }, 72],
    [{ target: 'undeploy' }, 72],
    [{ target: 'unhold' }, 84],
    [{ target: 'service', service_steps: [RAID] }, 86],
  ])('%j is not acceptable at 1.%i, and is one version later', (body, minor) => {
    expect(() => order(body, minor)).toThrow(expect.objectContaining({ status: 406 }));
    expect(order(body, minor + 1)).toMatchObject({ target: body.target });
  });

  it('that does not exist is left to be refused with the state of the node', () => {
    expect(order({ target: 'bogus' })).toMatchObject({ target: 'bogus', event: undefined });
  });
});

describe('a parameter', () => {
  it.each([
    [{ target: 'active', deploy_steps: [{ ...RAID, priority: 1 }] }, 68],
    [{ target: 'clean', clean_steps: [RAID], disable_ramdisk: true }, 69],
    [{ target: 'clean', clean_steps: [{ step: 'hold' }] }, 84],
  ])('%j is not acceptable at 1.%i, and is one version later', (body, minor) => {
    expect(() => order(body, minor)).toThrow(expect.objectContaining({ status: 406 }));
    expect(order(body, minor + 1)).toMatchObject({ target: body.target });
  });

  it.each([
    [
      { target: 'active', clean_steps: [RAID] },
      '"clean_steps" is only valid when setting target provision state to clean',
    ],
    [{ target: 'clean' }, '"clean_steps" is required when setting target provision state to clean'],
    [
      { target: 'clean', clean_steps: [] },
      '"clean_steps" is required when setting target provision state to clean',
    ],
    [
      { target: 'deleted', deploy_steps: [RAID] },
      '"deploy_steps" is only valid when setting target provision state to active or rebuild',
    ],
    [
      { target: 'manage', rescue_password: 'p' },
      '"rescue_password" is only valid when setting target provision state to rescue',
    ],
    [
      { target: 'rescue' },
      'A non-empty "rescue_password" is required when setting target provision state to rescue',
    ],
    [
      { target: 'rescue', rescue_password: '   ' },
      'A non-empty "rescue_password" is required when setting target provision state to rescue',
    ],
    [
      { target: 'manage', disable_ramdisk: false },
      '"disable_ramdisk" is only valid when setting target provision state to clean or service',
    ],
    [
      { target: 'clean', clean_steps: [{ step: 'create_configuration' }] },
      'The step create_configuration names no interface.',
    ],
    [
      { target: 'manage', configdrive: 'AAAA' },
      'Adding a config drive is only supported when setting provision state to active, rebuild',
    ],
  ])('%j is refused', (body, sentence) => {
    expect(() => order(body)).toThrow(expect.objectContaining({ status: 400, message: sentence }));
  });

  it.each([
    [{ target: 'clean', clean_steps: [{ interface: 'toaster', step: 'x' }] }],
    [{ target: 'clean', clean_steps: [{ interface: 'raid' }] }],
    [{ target: 'clean', clean_steps: 'all' }],
    [{ target: 'active', configdrive: { user: 'x' } }],
    [{ target: 'active', extra: 1 }],
    [{ target: 1 }],
    [{}],
  ])('%j has the wrong shape', (body) => {
    expect(() => order(body)).toThrow(expect.objectContaining({ status: 400 }));
  });

  it('is never kept when it is a password', () => {
    const kept = order({ target: 'rescue', rescue_password: 'very-secret' });
    expect(JSON.stringify(kept)).not.toContain('very-secret');
  });
});

describe('a config drive', () => {
  it.each([
    [{ target: 'active', configdrive: 'AAAA' }, 1],
    [{ target: 'rebuild', configdrive: 'AAAA' }, 35],
    [{ target: 'active', configdrive: { meta_data: {} } }, 56],
    [{ target: 'active', configdrive: { vendor_data: {} } }, 59],
  ])('%j is taken at 1.%i', (body, minor) => {
    expect(order(body, minor).configDrive).toEqual(body.configdrive);
  });

  it.each([
    [{ target: 'rebuild', configdrive: 'AAAA' }, 34],
    [{ target: 'active', configdrive: { meta_data: {} } }, 55],
    [{ target: 'active', configdrive: { vendor_data: {} } }, 58],
  ])('%j is refused at 1.%i', (body, minor) => {
    expect(() => order(body, minor)).toThrow(expect.objectContaining({ status: 400 }));
  });

  it('that is empty is none', () => {
    expect(order({ target: 'manage', configdrive: '' }).configDrive).toBeUndefined();
  });
});

describe('steps', () => {
  it('of a deployment go by their priority, the others by their place', () => {
    const steps = [
      { interface: 'bios', step: 'last', priority: 1 },
      { interface: 'raid', step: 'first', priority: 9 },
    ];
    expect(order({ target: 'active', deploy_steps: steps }).steps.map(({ step }) => step)).toEqual([
      'first',
      'last',
    ]);
    const clean = [RAID, { interface: 'bios', step: 'factory_reset' }];
    expect(order({ target: 'clean', clean_steps: clean }).steps).toEqual(clean);
  });
});
