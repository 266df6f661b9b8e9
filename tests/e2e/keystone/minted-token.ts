import { createPrivateKey, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { claimsOf, signedJwt } from '../../support/jwt.js';
import { type TestKeystone } from '../../support/keystone.js';

/**
 * A JWS token that Keystone takes for its own, for it is under Keystone's own key: as `token`, but issued earlier or later.
 *
 * @param keystone - one that issues JWS tokens
 * @param token - one of its tokens
 * @param life - seconds from now to its end; negative when it has ended already
 */
export function mintedToken(keystone: TestKeystone, token: string, life: number): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    ...claimsOf(token),
    iat: now + Math.min(life, 0) - 600,
    exp: now + life,
    openstack_audit_ids: [randomBytes(16).toString('base64url')],
  };
  const key = createPrivateKey(readFileSync(keystone.process.jwsPrivateKey));
  return signedJwt({}, claims, key);
}
