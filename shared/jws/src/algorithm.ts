import { type KeyObject } from 'node:crypto';

/** The supported signature algorithms. */
export type JwsAlgorithm = 'ES256' | 'RS256' | 'HS256';

const MIN_RSA_BITS = 2048;
const MIN_RSA_EXPONENT = 3n;

/** The one algorithm of an asymmetric key: RSA of at least 2048 bits, or EC on P-256; undefined for any other key. */
export function algorithmOf(key: KeyObject): 'ES256' | 'RS256' | undefined {
  const { modulusLength = 0, publicExponent = 0n, namedCurve } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'ec') return namedCurve === 'prime256v1' ? 'ES256' : undefined;
  const isStrong = modulusLength >= MIN_RSA_BITS && publicExponent >= MIN_RSA_EXPONENT;
  return key.asymmetricKeyType === 'rsa' && isStrong ? 'RS256' : undefined;
}
