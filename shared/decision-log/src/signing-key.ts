import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createSecretFile, hasCode, loadOrCreate } from '@tenure/process';
import { publicKeysOf } from './statements.js';

export interface SigningKeys {
  readonly key: KeyObject;
  readonly publicKeys: readonly KeyObject[];
}

// A mounted secret cannot be written; older keys then follow in the key file itself.
const READ_ONLY = ['EROFS', 'EACCES', 'EPERM'] as const;

/** Where the key that signs the log lies below a data directory, and its public half beside it. */
export const signingKeyFile = (dataDir: string): string =>
  path.join(dataDir, 'keys', 'decision-log', 'private.pem');
export const verificationKeyFile = (dataDir: string): string =>
  path.join(dataDir, 'keys', 'decision-log', 'public.pem');

/** Where the key that signs handovers lies below a data directory. */
export const custodyKeyFile = (dataDir: string): string =>
  path.join(dataDir, 'keys', 'custody', 'private.pem');

/** The public keys beside a private one, in a file that everyone who verifies may read. */
export const publicKeyFileBeside = (keyFile: string): string =>
  path.join(path.dirname(keyFile), 'public.pem');

/** As `readSigningKeys`, of a file that is made when it is not there. */
export const loadOrCreateSigningKeys = (file: string): SigningKeys =>
  loadOrCreate(
    () => readSigningKeys(file),
    () => {
      create(file);
    },
  );

/**
 * Keeps the public halves of a key file beside it, so that what a replaced key signed can be verified later.
 * @returns every public key that is kept, the file's own first
 * @throws Error when a file holds something that is no key
 */
export function keepPublicKeys(file: string, { publicKeys }: SigningKeys): readonly KeyObject[] {
  const kept = publicKeysBeside(file);
  const isKept = (key: KeyObject): boolean => kept.some((other) => other.equals(key));
  const missing = publicKeys.filter((key) => !isKept(key));
  try {
    if (missing.length > 0)
      appendFileSync(publicKeyFileBeside(file), missing.map(pemOf).join(''), { mode: 0o644 });
  } catch (error) {
    if (!READ_ONLY.some((code) => hasCode(error, code))) throw error;
  }
  const isOwn = (key: KeyObject): boolean => publicKeys.some((other) => other.equals(key));
  return [...publicKeys, ...kept.filter((key) => !isOwn(key))];
}

/**
 * The private key in a PEM file, which signs, and the public halves of all keys in it: the file may contain earlier keys after it.
 * @throws Error when it holds no EC key on P-256
 */
function readSigningKeys(file: string): SigningKeys {
  const pem = readFileSync(file, 'utf8');
  return { publicKeys: publicKeysOf(pem), key: createPrivateKey(pem) };
}

function create(file: string): void {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  createSecretFile(file, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  writeFileSync(publicKeyFileBeside(file), publicKey.export({ type: 'spki', format: 'pem' }));
}

function publicKeysBeside(file: string): readonly KeyObject[] {
  try {
    return publicKeysOf(readFileSync(publicKeyFileBeside(file), 'utf8'));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

const pemOf = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString();
