import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createSecretFile, loadOrCreate } from '@tenure/process';
import { publicKeysOf } from './statements.js';

/** Where the key that signs the log lies below a data directory, and its public half beside it. */
export const signingKeyFile = (dataDir: string): string =>
  path.join(dataDir, 'keys', 'decision-log', 'private.pem');
export const verificationKeyFile = (dataDir: string): string =>
  path.join(dataDir, 'keys', 'decision-log', 'public.pem');

export interface SigningKeys {
  readonly key: KeyObject;
  readonly publicKeys: readonly KeyObject[];
}

const create = (file: string): void => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  createSecretFile(file, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  writeFileSync(
    path.join(path.dirname(file), 'public.pem'),
    publicKey.export({ type: 'spki', format: 'pem' }),
  );
};

/**
 * The private key in a PEM file, which signs, and the public halves of all keys in it: those of old keys may follow.
 * @throws Error when it holds no EC key on P-256
 */
const readSigningKeys = (file: string): SigningKeys => {
  const pem = readFileSync(file, 'utf8');
  return { publicKeys: publicKeysOf(pem), key: createPrivateKey(pem) };
};

/** As `readSigningKeys`, of a file that is made when it is not there. */
export const loadOrCreateSigningKeys = (file: string): SigningKeys =>
  loadOrCreate(
    () => readSigningKeys(file),
    () => {
      create(file);
    },
  );
