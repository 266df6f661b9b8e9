import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { custodyKeyFile, loadOrCreateSigningKeys } from '@tenure/decision-log';
import { createSecretFile, devTokenKeyFile, loadOrCreateDevTokenKey } from '@tenure/process';
import { loadOrCreateSealKeys, sealKeyFile } from '@tenure/shared-state';
import { ensureContextKeys } from './context-keys.js';

const TOKEN_BYTES = 32;

/**
 * Creates the missing secrets that the parts share: keys of the signed context, the development key, the token for the
 * decision point, the key of what is shared in Redis, the key that signs handovers.
 * Existing secrets are kept, so it is safe to repeat.
 */
export function ensureSecrets(dataDir: string): void {
  ensureContextKeys(dataDir);
  loadOrCreateDevTokenKey(devTokenKeyFile(dataDir));
  loadOrCreateSealKeys(sealKeyFile(dataDir));
  loadOrCreateSigningKeys(custodyKeyFile(dataDir));
  const token = pdpClientTokenFile(dataDir);
  if (!existsSync(token))
    createSecretFile(token, `${randomBytes(TOKEN_BYTES).toString('base64url')}\n`);
}

/** The file of the token that the gateway sends to the decision point. */
const pdpClientTokenFile = (dataDir: string): string =>
  path.join(dataDir, 'keys', 'pdp-client', 'token');
