import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createSecretFile, loadOrCreate, type Logger, watchFiles } from '@tenure/process';
import { type Seal, sealBy, type SealKeys } from './seal.js';

const MIN_KEY_BYTES = 32;

/** Where the key lies below a data directory. */
export const sealKeyFile = (dataDir: string): string =>
  path.join(dataDir, 'keys', 'shared-state', 'seal.key');

/**
 * The keys under which replicas, and the command line, seal what they share, one a line; made on first use.
 * @throws Error when they can neither be read nor made, or one is too short
 */
export const loadOrCreateSealKeys = (file: string): SealKeys =>
  loadOrCreate(
    () => keysIn(file, read(file)),
    () => {
      createSecretFile(file, `${randomBytes(MIN_KEY_BYTES).toString('base64url')}\n`);
    },
  );

/** A seal by the keys of a file, which is created on first use and watched: keys are rotated without a restart. @throws Error as above */
export function openSeal(file: string, logger: Logger): Seal {
  loadOrCreateSealKeys(file);
  const { current } = watchFiles<SealKeys>({
    what: 'key of what is shared',
    read: () => read(file),
    make: (text) => keysIn(file, text),
    logger,
  });
  return sealBy(current);
}

function keysIn(file: string, text: string): SealKeys {
  const keys = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => Buffer.from(line, 'base64url'));
  const [first, ...older] = keys;
  if (first === undefined || keys.some(({ length }) => length < MIN_KEY_BYTES))
    throw new Error(`${file} holds less than ${MIN_KEY_BYTES} bytes of base64url on a line`);
  return [first, ...older];
}

const read = (file: string): string => readFileSync(file, 'utf8');
