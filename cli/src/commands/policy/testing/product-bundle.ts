import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const rego = fileURLToPath(new URL('../../../../../policies-rego', import.meta.url));

/** A bundle of this repository's own policy, built anew. */
export function productBundle(): string {
  const bundle = path.join(mkdtempSync(path.join(tmpdir(), 'tenure-bundle-')), 'bundle.tar.gz');
  execFileSync('opa', ['build', '-b', rego, '--ignore', '*_test.rego', '-t', 'wasm', '-o', bundle]);
  return bundle;
}
