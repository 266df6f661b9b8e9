import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type PartName } from '@tenure/contracts';
import { createSecretFile } from '@tenure/process';

/** The parts that call each other. A part gets the keys of its own pairs and no others. */
const CALLER_AUDIENCE_PAIRS: readonly (readonly [caller: PartName, audience: PartName])[] = [
  ['gateway', 'inventory'],
  ['gateway', 'conductor'],
  ['gateway', 'allocation'],
  ['gateway', 'compute'],
  ['conductor', 'inventory'],
  ['allocation', 'inventory'],
  ['compute', 'inventory'],
  ['compute', 'allocation'],
  ['compute', 'conductor'],
  ['cli', 'inventory'],
];

const KEY_BYTES = 32;

/** The directory of one part's context keys below a data directory. */
export const contextKeysDir = (dataDir: string, part: PartName): string =>
  path.join(dataDir, 'keys', part);

/** Creates the missing context keys. Existing keys are kept, so that a restart invalidates no caller. */
export function ensureContextKeys(dataDir: string): void {
  for (const [caller, audience] of CALLER_AUDIENCE_PAIRS) {
    const files = [caller, audience].map((part) =>
      path.join(contextKeysDir(dataDir, part), `${caller}--${audience}.key`),
    );
    const key = keyOf(files);
    for (const file of files) {
      if (existsSync(file)) continue;
      createSecretFile(file, key);
    }
  }
}

function keyOf(files: readonly string[]): string {
  const existing = files.find((file) => existsSync(file));
  return existing === undefined
    ? `${randomBytes(KEY_BYTES).toString('base64url')}\n`
    : readFileSync(existing, 'utf8');
}
