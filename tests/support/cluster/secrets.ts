import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Who speaks to whom, as docs/contracts.md says. */
const PAIRS = [
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
] as const;

/** Where the context keys of a part are. */
export const keysOf = (dataDir: string, part: string): string => path.join(dataDir, 'keys', part);

/** Makes the context keys of a new installation. */
export function makeContextKeys(dataDir: string): void {
  for (const [caller, audience] of PAIRS) {
    const key = `${randomBytes(32).toString('base64url')}\n`;
    for (const part of [caller, audience]) {
      mkdirSync(keysOf(dataDir, part), { recursive: true, mode: 0o700 });
      const file = path.join(keysOf(dataDir, part), `${caller}--${audience}.key`);
      writeFileSync(file, key, { mode: 0o600 });
    }
  }
}
