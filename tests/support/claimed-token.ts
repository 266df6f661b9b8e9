import { createPrivateKey, type JsonWebKey, randomUUID, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Tenure } from './tenure.js';

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

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
  const signed = [
    encoded({ alg: 'ES256', typ: 'JWT', kid: jwk['kid'] }),
    encoded({
      iss: 'tenure-dev',
      aud: 'tenure',
      iat: now,
      exp: now + 3600,
      jti: randomUUID(),
      sub: 'somebody',
      ...claims,
    }),
  ].join('.');
  const key = createPrivateKey({ key: jwk, format: 'jwk' });
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}
