import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';

const BITS = 2048;
const generate = promisify(generateKeyPair);

/** A new RSA key for SSH, for clients that do not make their own. The private half is given away and kept nowhere. */
export async function newSshKey(): Promise<{
  readonly publicKey: string;
  readonly privateKey: string;
}> {
  const { publicKey, privateKey } = await generate('rsa', { modulusLength: BITS });
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' });
  const blob = Buffer.concat([withLength(Buffer.from('ssh-rsa')), mpint(e), mpint(n)]);
  return {
    publicKey: `ssh-rsa ${blob.toString('base64')} Generated-by-Tenure`,
    privateKey: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
  };
}

function withLength(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** A number of the SSH wire format: a leading zero keeps it positive. */
function mpint(base64url: string): Buffer {
  const bytes = Buffer.from(base64url, 'base64url');
  return withLength((bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}
