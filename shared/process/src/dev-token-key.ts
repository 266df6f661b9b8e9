import { generateKeyPairSync, type JsonWebKey, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createSecretFile, loadOrCreate } from './files.js';

/** Issuer and audience of tokens signed by the local development key. */
export const DEV_TOKEN_ISSUER = 'tenure-dev';
export const DEV_TOKEN_AUDIENCE = 'tenure';

/** Where the development key lies below a data directory. */
export const devTokenKeyFile = (dataDir: string): string =>
  path.join(dataDir, 'keys', 'dev-token', 'private.jwk.json');

/**
 * The private ES256 key that signs development tokens, made on first use.
 * It is never a context key: a token signer must not be able to speak for a part.
 */
export const loadOrCreateDevTokenKey = (file: string): JsonWebKey =>
  loadOrCreate(
    () => read(file),
    () => {
      create(file);
    },
  );

const read = (file: string): JsonWebKey => JSON.parse(readFileSync(file, 'utf8')) as JsonWebKey; // used through createPrivateKey, which checks it

function create(file: string): void {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = {
    ...privateKey.export({ format: 'jwk' }),
    kid: `dev-${randomUUID()}`,
    alg: 'ES256',
    use: 'sig',
  };
  createSecretFile(file, `${JSON.stringify(jwk)}\n`);
}
