import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';

const rego = fileURLToPath(new URL('../../../../../policies-rego', import.meta.url));

/** Enough for each invariant to examine at least one answer. */
const ACTIONS = [
  'baremetal:node:get',
  'baremetal:node:get:filter_threshold',
  'baremetal:node:list',
  'baremetal:node:list_all',
];

/** A bundle of this repository's own rules with a handful of actions, whose whole model is evaluated in seconds. */
export function smallBundle(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'tenure-small-'));
  cpSync(rego, path.join(directory, 'rego'), {
    recursive: true,
    filter: (file) => !/\.tar\.gz$|_test\.rego$/u.test(file),
  });
  const table = path.join(directory, 'rego', 'tenure', 'actions', 'data.yaml');
  const rows = parse(readFileSync(table, 'utf8')) as Readonly<Record<string, unknown>>; // the action table
  const kept = Object.fromEntries(ACTIONS.map((action) => [action, rows[action]]));
  writeFileSync(table, stringify(kept));
  const bundle = path.join(directory, 'bundle.tar.gz');
  execFileSync('opa', ['build', '-b', 'rego', '-t', 'wasm', '-o', bundle], { cwd: directory });
  return bundle;
}
