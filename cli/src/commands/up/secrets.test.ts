import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ensureSecrets } from './secrets.js';

const filesOf = (dataDir: string): readonly string[] =>
  readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(path.join(dataDir, name)).isFile())
    .sort();

const contentOf = (dataDir: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    filesOf(dataDir).map((name) => [name, readFileSync(path.join(dataDir, name), 'utf8')]),
  );

describe('the secrets of a new installation', () => {
  it('are made for each part alone, readable by their owner only', () => {
    const dataDir = mkdtempSync(path.join(tmpdir(), 'tenure-secrets-'));
    ensureSecrets(dataDir);
    expect(filesOf(dataDir)).toEqual([
      'keys/allocation/allocation--inventory.key',
      'keys/allocation/compute--allocation.key',
      'keys/allocation/gateway--allocation.key',
      'keys/cli/cli--inventory.key',
      'keys/compute/compute--allocation.key',
      'keys/compute/compute--conductor.key',
      'keys/compute/compute--inventory.key',
      'keys/compute/gateway--compute.key',
      'keys/conductor/compute--conductor.key',
      'keys/conductor/conductor--inventory.key',
      'keys/conductor/gateway--conductor.key',
      'keys/custody/private.pem',
      'keys/custody/public.pem',
      'keys/dev-token/private.jwk.json',
      'keys/gateway/gateway--allocation.key',
      'keys/gateway/gateway--compute.key',
      'keys/gateway/gateway--conductor.key',
      'keys/gateway/gateway--inventory.key',
      'keys/inventory/allocation--inventory.key',
      'keys/inventory/cli--inventory.key',
      'keys/inventory/compute--inventory.key',
      'keys/inventory/conductor--inventory.key',
      'keys/inventory/gateway--inventory.key',
      'keys/pdp-client/token',
      'keys/shared-state/seal.key',
    ]);
    for (const name of filesOf(dataDir).filter((one) => !one.endsWith('public.pem')))
      expect([name, statSync(path.join(dataDir, name)).mode & 0o777]).toEqual([name, 0o600]);
  });

  it('stay the same when they are created again', () => {
    const dataDir = mkdtempSync(path.join(tmpdir(), 'tenure-secrets-'));
    ensureSecrets(dataDir);
    const before = contentOf(dataDir);
    ensureSecrets(dataDir);
    expect(contentOf(dataDir)).toEqual(before);
  });
});
