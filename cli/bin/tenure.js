#!/usr/bin/env node
// Runs on whatever Node is in PATH; the program itself needs Node 24, which `make` fetches into .tools/.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const main = join(root, 'cli', 'dist', 'main.js');
const pinned = join(root, '.tools', 'node_modules', '.bin', 'node');

if (!existsSync(main)) {
  process.stderr.write('tenure: not built yet; run `make build` first\n');
  process.exit(2);
}
if (Number(process.versions.node.split('.')[0]) >= 24) {
  await import(main);
} else if (existsSync(pinned)) {
  const child = spawnSync(pinned, [main, ...process.argv.slice(2)], { stdio: 'inherit' });
  process.exit(child.status ?? 1);
} else {
  process.stderr.write('tenure: needs Node 24; run `make build` first, which fetches it\n');
  process.exit(2);
}
