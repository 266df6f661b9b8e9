import { createPrivateKey, type JsonWebKey, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { signedJwt } from './jwt.js';
import { type Tenure } from './tenure.js';

/**
 * A development token, good for an hour. `tenure token` makes such ones too, but takes a process for each, and makes none with
 * claims that no token should have.
 */
export function claimedToken(
  { dataDir }: Pick<Tenure, 'dataDir'>,
  claims: Readonly<Record<string, unknown>>,
): string {
  const file = path.join(dataDir, 'keys', 'dev-token', 'private.jwk.json');
  const jwk = JSON.parse(readFileSync(file, 'utf8')) as JsonWebKey; // written by `tenure up`
  const now = Math.floor(Date.now() / 1000);
  return signedJwt(
    { kid: jwk['kid'] },
    {
      iss: 'tenure-dev',
      aud: 'tenure',
      iat: now,
      exp: now + 3600,
      jti: randomUUID(),
      sub: 'somebody',
      ...claims,
    },
    createPrivateKey({ key: jwk, format: 'jwk' }),
  );
}
