import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Digest of the policy's rules, data and tests. */
export function testedSources() {
  const hash = createHash('sha256');
  const files = readdirSync(path.join(root, 'policies-rego/tenure'), {
    recursive: true,
    withFileTypes: true,
  })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
  for (const file of files) {
    const digest = createHash('sha256').update(readFileSync(file)).digest('hex');
    hash.update(`${digest}  ${path.relative(root, file)}\n`);
  }
  return `sha256:${hash.digest('hex')}`;
}
