import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

const sequence = (...parts: readonly Uint8Array[]): Buffer => tlv(0x30, ...parts);
const oid = (...bytes: readonly number[]): Buffer => tlv(0x06, Buffer.from(bytes));

const ECDSA_SHA256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));

const DAY_MS = 86_400_000;

/** A self-signed certificate for 127.0.0.1 and localhost, PEM. */
export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

export function createTestCertificate(): TestCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    cert: pem(signed(privateKey, publicKey)),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

// A certificate in DER, just enough for TLS on loopback: tests need no key on disk and no tool outside Node.
function tlv(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const { length } = body;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), body]);
  const size =
    length < 0x100 ? Buffer.from([0x81, length]) : Buffer.from([0x82, length >> 8, length & 0xff]);
  return Buffer.concat([Buffer.from([tag]), size, body]);
}

const pem = (der: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${(der.toString('base64').match(/.{1,64}/gu) ?? []).join('\n')}\n-----END CERTIFICATE-----\n`;

function signed(privateKey: KeyObject, publicKey: KeyObject): Buffer {
  const name = nameOf(
    `stub-${createHash('sha256')
      .update(publicKey.export({ type: 'spki', format: 'der' }))
      .digest('hex')
      .slice(0, 8)}`,
  );
  const serial = Buffer.concat([Buffer.from([0x01]), randomBytes(8)]);
  const validity = sequence(
    time(new Date(Date.now() - DAY_MS)),
    time(new Date(Date.now() + DAY_MS)),
  );
  const body = sequence(
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    tlv(0x02, serial),
    ECDSA_SHA256,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    extensions(),
  );
  const signature = sign('sha256', body, privateKey);
  return sequence(body, ECDSA_SHA256, tlv(0x03, Buffer.from([0]), signature));
}

const nameOf = (commonName: string): Buffer =>
  sequence(tlv(0x31, sequence(oid(0x55, 0x04, 0x03), utf8(commonName))));

const time = (date: Date): Buffer =>
  tlv(0x18, Buffer.from(date.toISOString().replace(/[-:T]|\.\d+/gu, '')));

function extensions(): Buffer {
  const basic = sequence(
    oid(0x55, 0x1d, 0x13),
    tlv(0x01, Buffer.from([0xff])),
    tlv(0x04, sequence(tlv(0x01, Buffer.from([0xff])))),
  );
  const loopback = sequence(
    tlv(0x87, Buffer.from([127, 0, 0, 1])),
    tlv(0x82, Buffer.from('localhost')),
  );
  const names = sequence(oid(0x55, 0x1d, 0x11), tlv(0x04, loopback));
  return tlv(0xa3, sequence(basic, names));
}

const utf8 = (text: string): Buffer => tlv(0x0c, Buffer.from(text));
