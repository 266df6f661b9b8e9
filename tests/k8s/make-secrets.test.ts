import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadOrCreateSigningKeys } from '../../shared/decision-log/src/index.js';
import { devTokenKeyFile, loadOrCreateDevTokenKey } from '../../shared/process/src/index.js';
import { loadOrCreateSealKeys } from '../../shared/shared-state/src/index.js';
import { loadContextKeys } from '../../shared/signed-context/src/index.js';
import { root } from '../support/paths.js';
import { objectsIn } from './support/builds.js';
import { operatorMade } from './support/operator-made.js';

let parent: string;
let directory: string;

const make = (...options: readonly string[]) =>
  spawnSync(path.join(root, 'scripts/k8s/make-secrets.sh'), [...options], { encoding: 'utf8' });

const manifest = (): string => readFileSync(path.join(directory, 'secrets.yaml'), 'utf8');

beforeEach(() => {
  parent = mkdtempSync(path.join(tmpdir(), 'tenure-secrets-'));
  directory = path.join(parent, 'secrets');
});

afterEach(() => {
  rmSync(parent, { recursive: true });
});

describe('make-secrets.sh', () => {
  it('gives each part the keys of its own pairs, which both sides can use', () => {
    expect(make(directory).status).toBe(0);
    const keysOf = (part: 'gateway' | 'inventory' | 'conductor' | 'allocation' | 'compute') => {
      const keys = loadContextKeys(path.join(directory, `${part}-context-keys`), part);
      return [[...keys.outgoing.keys()].sort(), [...keys.incoming.keys()].sort()];
    };
    expect(keysOf('gateway')).toEqual([['allocation', 'compute', 'conductor', 'inventory'], []]);
    expect(keysOf('inventory')).toEqual([[], ['allocation', 'compute', 'conductor', 'gateway']]);
    expect(keysOf('conductor')).toEqual([['inventory'], ['compute', 'gateway']]);
    expect(keysOf('allocation')).toEqual([['inventory'], ['compute', 'gateway']]);
    expect(keysOf('compute')).toEqual([['allocation', 'conductor', 'inventory'], ['gateway']]);
    const keyAt = (part: string): string =>
      readFileSync(path.join(directory, `${part}-context-keys`, 'compute--allocation.key'), 'utf8');
    expect(keyAt('compute')).toBe(keyAt('allocation'));
  });

  it('makes keys that the parts can use, and tokens that fit one another', () => {
    make(directory);
    const [seal] = loadOrCreateSealKeys(path.join(directory, 'gateway-shared-state-key/seal.key'));
    expect(seal).toHaveLength(32);
    for (const secret of ['pdp-decision-log-key', 'inventory-custody-key']) {
      const signing = loadOrCreateSigningKeys(path.join(directory, secret, 'private.pem'));
      expect(signing.key.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
    }
    expect(readFileSync(path.join(directory, 'pdp-client-tokens/tokens'), 'utf8')).toBe(
      readFileSync(path.join(directory, 'gateway-pdp-token/token'), 'utf8'),
    );
  });

  it('writes every Secret that the README says it makes, with the keys that it says', () => {
    expect(make('--dev', directory).status).toBe(0);
    const secrets = objectsIn(manifest());
    const made = secrets.map(({ metadata }) => metadata.name).sort();
    const documented = operatorMade.filter(({ name }) => made.includes(name));
    expect(made).toEqual([
      'allocation-context-keys',
      'compute-context-keys',
      'conductor-context-keys',
      'dev-token-key',
      'gateway-context-keys',
      'gateway-pdp-token',
      'gateway-shared-state-key',
      'inventory-context-keys',
      'inventory-custody-key',
      'pdp-admin-tokens',
      'pdp-client-tokens',
      'pdp-decision-log-key',
      'pdp-shared-state-key',
    ]);
    expect(documented).toHaveLength(made.length);
    for (const { name, keys } of documented)
      expect(keys).toEqual(expect.arrayContaining(readdirSync(path.join(directory, name))));
    expect(
      secrets.every(({ kind, metadata }) => kind === 'Secret' && metadata.namespace === 'tenure'),
    ).toBe(true);
  });

  it('leaves alone what is there, and makes what a further option needs', () => {
    make(directory);
    const before = manifest();
    expect(make(directory).status).toBe(0);
    expect(manifest()).toBe(before);
    const token = path.join(directory, 'gateway-pdp-token/token');
    writeFileSync(token, 'mine\n');
    make('--cli', '--dev', '--namespace', 'other', directory);
    expect(readFileSync(token, 'utf8')).toBe('mine\n');
    expect(
      loadContextKeys(path.join(directory, 'operator/keys/cli'), 'cli').outgoing.has('inventory'),
    ).toBe(true);
    expect(
      loadContextKeys(path.join(directory, 'inventory-context-keys'), 'inventory').incoming.has(
        'cli',
      ),
    ).toBe(true);
    const operators = loadOrCreateDevTokenKey(devTokenKeyFile(path.join(directory, 'operator')));
    expect(loadOrCreateDevTokenKey(path.join(directory, 'dev-token-key/private.jwk.json'))).toEqual(
      operators,
    );
    expect(operators).toMatchObject({ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' });
    expect(objectsIn(manifest()).map(({ metadata }) => metadata.namespace)).not.toContain('tenure');
  });

  it('shows secrets to nobody else, nor in what it prints', () => {
    const { stdout, stderr } = make('--dev', directory);
    expect([stdout, stderr]).toEqual([`make-secrets: ${directory}/secrets.yaml\n`, '']);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(statSync(path.join(directory, 'secrets.yaml')).mode & 0o777).toBe(0o600);
  });

  it('refuses a directory in the repository, and makes nothing there', () => {
    const inside = path.join(root, 'k8s', 'secrets-of-a-test');
    const { status, stderr } = make(inside);
    expect([status, stderr]).toEqual([
      1,
      `make-secrets: ${inside} lies in the repository, where secrets do not belong\n`,
    ]);
    expect(existsSync(inside)).toBe(false);
  });

  it('describes its use', () => {
    expect(make('--help')).toMatchObject({ status: 0, stderr: '' });
    expect(make('--help').stdout).toContain('DIRECTORY/secrets.yaml');
    expect(make().status).toBe(2);
    expect(make('--unheard-of', directory).status).toBe(1);
  });
});
