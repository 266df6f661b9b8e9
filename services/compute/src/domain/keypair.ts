import { createHash, X509Certificate } from 'node:crypto';
import { BadRequestError } from '@tenure/contracts';

const SSH_TYPES: ReadonlySet<string> = new Set([
  'ssh-rsa',
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'sk-ssh-ed25519@openssh.com',
  'sk-ecdsa-sha2-nistp256@openssh.com',
]);
const BASE64 = /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u;

/**
 * The fingerprint that Nova and its clients show: MD5 of an SSH key, SHA-1 of a certificate. It names a key, and protects
 * nothing.
 * @throws BadRequestError for what is no such key
 */
export const fingerprintOf = (type: 'ssh' | 'x509', publicKey: string): string =>
  type === 'ssh' ? sshFingerprint(publicKey) : x509Fingerprint(publicKey);

function sshFingerprint(publicKey: string): string {
  const [type = '', data = ''] = publicKey.trim().split(/\s+/u);
  if (/[\r\n]/u.test(publicKey.trim()) || !SSH_TYPES.has(type) || !BASE64.test(data))
    throw refused('failed to generate fingerprint');
  const blob = Buffer.from(data, 'base64');
  if (innerType(blob) !== type) throw refused('failed to generate fingerprint');
  return colons(createHash('md5').update(blob).digest('hex'));
}

function x509Fingerprint(certificate: string): string {
  try {
    return new X509Certificate(certificate).fingerprint.toLowerCase();
  } catch (error) {
    throw new BadRequestError('Keypair data is invalid: failed to generate X509 fingerprint.', {
      cause: error,
    });
  }
}

const refused = (why: string): BadRequestError =>
  new BadRequestError(`Keypair data is invalid: ${why}`);

/** The name of the key's type in the key itself, its first member. */
function innerType(blob: Buffer): string {
  if (blob.length < 4) return '';
  const length = blob.readUInt32BE(0);
  return length > 64 ? '' : blob.subarray(4, 4 + length).toString('latin1');
}

const colons = (hex: string): string => hex.match(/../gu)?.join(':') ?? '';
