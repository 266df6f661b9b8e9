import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readBundleArchive } from '../runtime/bundle-archive.js';

export { type KeyPair, newKeyPair, newKeys } from './keys.js';

const policies = fileURLToPath(new URL('policies/', import.meta.url));

export interface BuiltPolicy {
  readonly wasm: Uint8Array;
  readonly data: object;
}

/** Builds one of the policies beside this file with the `opa` on PATH; the path of the bundle. */
export function buildBundle(name: 'sane' | 'hostile'): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'tenure-policy-test-'));
  const bundle = path.join(directory, 'bundle.tar.gz');
  execFileSync('opa', ['build', '-b', name, '-t', 'wasm', '-o', bundle], { cwd: policies });
  return bundle;
}

/** Builds a bundle from Rego text and data; the data of the sane policy when there is none. The path of the bundle. */
export function buildRego(rego: string, data: object = saneData()): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'tenure-policy-test-'));
  const bundle = path.join(directory, 'bundle.tar.gz');
  writeFileSync(path.join(directory, 'policy.rego'), rego);
  writeFileSync(path.join(directory, 'data.json'), JSON.stringify(data));
  execFileSync('opa', ['build', '-t', 'wasm', '-o', bundle, 'policy.rego', 'data.json'], {
    cwd: directory,
  });
  return bundle;
}

/** The parts of a bundle file. */
export async function unpackBundle(bundle: string): Promise<BuiltPolicy> {
  const { wasm, dataText } = await readBundleArchive(await readFile(bundle));
  return { wasm, data: JSON.parse(dataText) as object }; // written by opa
}

const saneData = (): object =>
  JSON.parse(readFileSync(path.join(policies, 'sane', 'data.json'), 'utf8')) as object; // beside this file
