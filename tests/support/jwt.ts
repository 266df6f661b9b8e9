import { createHmac, type KeyObject, sign } from 'node:crypto';

type Json = Readonly<Record<string, unknown>>;

/** A JWT under a private key: ES256 of an elliptic one, RS256 of an RSA one, whatever the header says. */
export const signedJwt = (header: Json, claims: Json, key: KeyObject): string =>
  withSignature(
    { alg: key.asymmetricKeyType === 'rsa' ? 'RS256' : 'ES256', ...header },
    claims,
    (signed) => sign('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }),
  );

/** A JWT of algorithm HS256 under a text, as one forges it whose verifier takes a public key for a secret. */
export const hmacJwt = (header: Json, claims: Json, secret: string): string =>
  withSignature({ alg: 'HS256', ...header }, claims, (signed) =>
    createHmac('sha256', secret).update(signed).digest(),
  );

/** The claims of a JWT. */
export const claimsOf = (token: string): Json =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Json; // an object in every JWT

function withSignature(
  header: Json,
  claims: Json,
  signatureOf: (signed: Buffer) => Buffer,
): string {
  const signed = `${encoded({ typ: 'JWT', ...header })}.${encoded(claims)}`;
  return `${signed}.${signatureOf(Buffer.from(signed)).toString('base64url')}`;
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
