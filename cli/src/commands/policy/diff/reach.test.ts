import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type LoadedPolicy, loadPolicy, openPolicy } from '../policy-options.js';
import { productBundle } from '../testing/product-bundle.js';
import { reachOf } from './reach.js';

let bundle: string;
let plain: LoadedPolicy;
beforeAll(async () => {
  bundle = productBundle();
  plain = await loadPolicy({ bundle, overlay: [] });
}, 30_000);

async function reached(text: string): Promise<readonly string[] | undefined> {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'tenure-reach-')), 'overlay.yaml');
  writeFileSync(file, text);
  return reachOf([plain, await loadPolicy({ bundle, overlay: [file] })]);
}

describe('which actions a change of rows can reach', () => {
  it('is only the changed one, when nothing else names it', async () => {
    expect(await reached('baremetal:node:set_power_state: [owner_member]\n')).toEqual([
      'baremetal:node:set_power_state',
    ]);
  });

  it('includes actions whose row names it, and those that name these', async () => {
    expect(await reached('os_compute_api:servers:index:get_all_tenants: []\n')).toBeUndefined();
    expect(await reached('baremetal:allocation:create_restricted: []\n')).toEqual([
      'baremetal:allocation:create',
      'baremetal:allocation:create_restricted',
    ]);
  });

  it('cannot be derived when other tables name it: what is visible depends on it', async () => {
    expect(await reached('baremetal:node:get: [system_reader]\n')).toBeUndefined();
  });

  it('cannot be derived when the rules are others, or cannot be read', async () => {
    const other = await openPolicy({ ...plain.material, wasm: Buffer.from(plain.material.wasm) });
    expect(reachOf([plain, other])).toEqual([]);
    const sourceless = await openPolicy({ ...plain.material, sources: {} });
    expect(reachOf([plain, sourceless])).toBeUndefined();
    const naming = { 'custom.rego': 'x := "baremetal:node:set_power_state"' };
    const named = await openPolicy({
      ...plain.material,
      sources: { ...plain.material.sources, ...naming },
      overlays: [{ file: 'o.json', text: '{"baremetal:node:set_power_state": ["owner_member"]}' }],
    });
    expect(reachOf([plain, named])).toBeUndefined();
  });
});
