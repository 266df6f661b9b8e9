import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createSecretFile, loadOrCreate } from '@tenure/process';

const MIN_KEY_BYTES = 32;

/** Where the key lies below a data directory. */
export const sealKeyFile = (dataDir: string): string =>
  path.join(dataDir, 'keys', 'shared-state', 'seal.key');

const read = (file: string): Buffer => {
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64url');
  if (key.length < MIN_KEY_BYTES)
    throw new Error(`${file} holds less than ${MIN_KEY_BYTES} bytes of base64url`);
  return key;
};

/**
 * The key under which replicas of the gateway, and the command line, seal what they share; made on first use.
 * @throws Error when it can neither be read nor made, or is too short
 */
export const loadOrCreateSealKey = (file: string): Buffer =>
  loadOrCreate(
    () => read(file),
    () => {
      createSecretFile(file, `${randomBytes(MIN_KEY_BYTES).toString('base64url')}\n`);
    },
  );
