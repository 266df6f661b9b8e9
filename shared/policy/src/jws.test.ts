import { createHmac, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { pinnedKeyOf, signingKeyOf, signJws, verifyJws } from './jws.js';
import { newKeyPair, newKeys } from './testing/keys.js';

const ec = newKeys('ec', 'main');
const rsa = newKeys('rsa', 'old');
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The token with a member of its header changed, signature and all else kept. */
function withHeader(token: string, header: object): string {
  const [, payload, signature] = token.split('.');
  return [part(header), payload, signature].join('.');
}

describe('verifyJws', () => {
  it.each([
    ['ES256', ec],
    ['RS256', rsa],
  ])('gives back what was signed with %s, and whose key it was', (algorithm, { signing }) => {
    const token = signJws({ a: 1 }, signing);
    const [header = ''] = token.split('.');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({
      alg: algorithm,
      kid: signing.id,
      typ: 'JWT',
    });
    expect(verifyJws(token, [rsa.pinned, ec.pinned])).toEqual({
      payload: { a: 1 },
      keyId: signing.id,
    });
  });

  const token = signJws({ a: 1 }, ec.signing);
  const signedPart = token.split('.').slice(0, 2).join('.');
  it.each([
    ['is unsigned', withHeader(token, { alg: 'none', kid: 'main' }), 'for ES256 and nothing else'],
    [
      'was made with the public key as a secret',
      (() => {
        const { publicPem } = newKeyPair('ec');
        const body = `${part({ alg: 'HS256', kid: 'main' })}.${part({ a: 1 })}`;
        return `${body}.${createHmac('sha256', publicPem).update(body).digest('base64url')}`;
      })(),
      'for ES256 and nothing else',
    ],
    [
      'names the algorithm of another key',
      withHeader(token, { alg: 'RS256', kid: 'main' }),
      'for ES256 and nothing else',
    ],
    ['names another key', withHeader(token, { alg: 'RS256', kid: 'old' }), 'not made with the key'],
    ['names an unknown key', withHeader(token, { alg: 'ES256', kid: 'x' }), 'is not pinned'],
    ['brings its own key', withHeader(token, { alg: 'ES256', kid: 'main', jwk: {} }), 'has "jwk"'],
    ['has a critical extension', withHeader(token, { alg: 'ES256', crit: ['x'] }), 'has "crit"'],
    ['is of another type', signJws({}, ec.signing, 'other'), 'not of typ JWT'],
    [
      'was changed',
      token.replace(/\.[^.]*\./u, `.${part({ a: 2 })}.`),
      'what is signed was changed',
    ],
    ['has no signature', `${signedPart}.`, 'not base64url'],
    ['has one part too many', `${token}.x`, 'no compact JWS'],
    ['is padded', `${token}=`, 'not base64url'],
    ['is not even that', 'nonsense', 'no compact JWS'],
    ['has no JSON in it', `${Buffer.from('[').toString('base64url')}.e30.AA`, 'no JSON'],
  ])('refuses a token that %s', (_what, text, message) => {
    expect(() => verifyJws(text, [rsa.pinned, ec.pinned])).toThrow(message);
  });
});

describe('keys', () => {
  it('are RSA of 2048 bits or more, or EC on P-256, and nothing else', () => {
    const small = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const p384 = generateKeyPairSync('ec', { namedCurve: 'secp384r1' });
    const ed = generateKeyPairSync('ed25519');
    for (const { publicKey, privateKey } of [small, p384, ed]) {
      const pem = publicKey.export({ type: 'spki', format: 'pem' });
      expect(() => pinnedKeyOf(pem)).toThrow(
        'must be RSA of 2048 bits or more, or EC on the curve',
      );
      const own = privateKey.export({ type: 'pkcs8', format: 'pem' });
      expect(() => signingKeyOf(own)).toThrow('must be RSA of 2048 bits or more');
    }
  });

  it('are distinguished: no private key is pinned, no public one signs', () => {
    const { privatePem, publicPem } = newKeyPair('ec');
    expect(() => pinnedKeyOf(privatePem)).toThrow('is a private one');
    expect(() => signingKeyOf(publicPem)).toThrow('no PEM of a private key');
    expect(() => pinnedKeyOf('nonsense')).toThrow('no PEM of a public key');
  });
});
