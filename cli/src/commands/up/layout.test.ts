import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { planParts } from './layout.js';

describe('the parts of tenure up', () => {
  it('are programs of this repository', () => {
    const sources = planParts({}, '/data').map(({ script }) =>
      script.replace(`${path.sep}dist${path.sep}server.js`, '/src/server.ts'),
    );
    expect(sources.filter((source) => !existsSync(source))).toEqual([]);
    expect(sources).toHaveLength(6);
  });

  it('get a secret of the environment only when they need it', () => {
    const secrets = {
      KEYSTONE_APPLICATION_CREDENTIAL_SECRET: 'a',
      KEYSTONE_PASSWORD: 'b',
      MONGODB_URI: 'mongodb://user:c@host',
      REDIS_URL: 'redis://user:d@host',
    };
    const environments = planParts({ ...secrets, LOG_LEVEL: 'info' }, '/data').map(
      ({ name, env }) => [
        name,
        Object.keys(env).filter((variable) => variable in secrets || variable === 'LOG_LEVEL'),
      ],
    );
    expect(Object.fromEntries(environments)).toEqual({
      pdp: ['REDIS_URL', 'LOG_LEVEL'],
      inventory: ['MONGODB_URI', 'LOG_LEVEL'],
      conductor: ['LOG_LEVEL'],
      allocation: ['LOG_LEVEL'],
      compute: ['LOG_LEVEL'],
      gateway: [
        'KEYSTONE_APPLICATION_CREDENTIAL_SECRET',
        'KEYSTONE_PASSWORD',
        'REDIS_URL',
        'LOG_LEVEL',
      ],
    });
  });

  it('get the Keystone login when they call Neutron or Cinder', () => {
    const knowing = (env: Readonly<Record<string, string>>): readonly string[] =>
      planParts({ KEYSTONE_PASSWORD: 'b', ...env }, '/data')
        .filter((part) => part.env['KEYSTONE_PASSWORD'] === 'b')
        .map(({ name }) => name);
    expect(knowing({ NEUTRON_URL: '', CINDER_URL: '' })).toEqual(['gateway']);
    expect(knowing({ NEUTRON_URL: 'http://neutron.test' })).toEqual(['conductor', 'gateway']);
    expect(knowing({ CINDER_URL: 'http://cinder.test' })).toEqual(['inventory', 'gateway']);
  });
});
