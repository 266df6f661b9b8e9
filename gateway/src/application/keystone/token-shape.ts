import { type UnverifiedJws } from '@tenure/jws';

const FERNET_VERSION = 0x80;
/** Version, time, initialization vector, MAC; the rest are whole AES blocks, at least one. */
const FERNET_FRAME_BYTES = 1 + 8 + 16 + 32;
const BLOCK_BYTES = 16;
const MAX_FERNET_LENGTH = 1024;
/** Seconds that the time in a token may be ahead of ours. */
const MAX_AHEAD = 86_400;

/** Whether a text could be a Fernet token of Keystone: anything else is refused without a call to Keystone. */
export function looksLikeFernet(token: string): boolean {
  if (token.length > MAX_FERNET_LENGTH) return false;
  const bytes = Buffer.from(token, 'base64url');
  // Only the canonical encoding: another one would evade the revocation list, while Keystone accepts both.
  if (bytes.toString('base64url') !== token || bytes[0] !== FERNET_VERSION) return false;
  const blocks = bytes.length - FERNET_FRAME_BYTES;
  if (blocks < BLOCK_BYTES || blocks % BLOCK_BYTES !== 0) return false;
  return bytes.readBigUInt64BE(1) <= BigInt(Math.floor(Date.now() / 1000) + MAX_AHEAD);
}

/** Whether a JWT is one of Keystone's own: it has no issuer, but the authentication methods. */
export const isKeystoneJws = ({ alg, payload }: UnverifiedJws): boolean =>
  alg === 'ES256' && payload['iss'] === undefined && Array.isArray(payload['openstack_methods']);
