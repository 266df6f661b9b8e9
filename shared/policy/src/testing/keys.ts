import { generateKeyPairSync } from 'node:crypto';
import { type PinnedKey, pinnedKeyOf, type SigningKey, signingKeyOf } from '../jws.js';

/** A pair of keys in PEM. */
export interface KeyPair {
  readonly privatePem: string;
  readonly publicPem: string;
}

/** A pair made anew; RSA of 2048 bits, or EC on P-256. */
export function newKeyPair(type: 'rsa' | 'ec'): KeyPair {
  const { privateKey, publicKey } =
    type === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return {
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
}

/** The same as keys of this name, to sign with and to be trusted. */
export function newKeys(
  type: 'rsa' | 'ec',
  id = 'default',
): { readonly signing: SigningKey; readonly pinned: PinnedKey } {
  const { privatePem, publicPem } = newKeyPair(type);
  return { signing: signingKeyOf(privatePem, id), pinned: pinnedKeyOf(publicPem, id) };
}
