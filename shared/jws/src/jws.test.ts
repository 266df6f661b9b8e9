import { createHmac, createSecretKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { algorithmOf } from './algorithm.js';
import { isSignedBy, type JwsKey, MalformedJws, parseJws, signJws } from './jws.js';

const MAX = 4096;
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const secret = createSecretKey(Buffer.alloc(32, 1));

const PAIRS: readonly (readonly [alg: JwsKey['alg'], signing: JwsKey, verifying: JwsKey])[] = [
  ['ES256', { alg: 'ES256', key: ec.privateKey }, { alg: 'ES256', key: ec.publicKey }],
  ['RS256', { alg: 'RS256', key: rsa.privateKey }, { alg: 'RS256', key: rsa.publicKey }],
  ['HS256', { alg: 'HS256', key: secret }, { alg: 'HS256', key: secret }],
];

const part = (text: string): string => Buffer.from(text).toString('base64url');
const headerOf = (text: string): string =>
  Buffer.from(text.split('.')[0] ?? '', 'base64url').toString();

describe.each(PAIRS)('a JWS under %s', (alg, signing, verifying) => {
  const text = signJws({ a: 'ä' }, signing);

  it('is verified by the key that belongs to it and by no other', () => {
    const jws = parseJws(text, MAX);
    expect(jws.payload).toEqual({ a: 'ä' });
    const good = PAIRS.filter(([, , key]) => isSignedBy(jws, key)).map(([name]) => name);
    expect(good).toEqual([alg]);
  });

  it('has a constant header: the algorithm, the name of the key if it has one, and the type', () => {
    expect(headerOf(text)).toBe(`{"alg":"${alg}","typ":"JWT"}`);
    expect(headerOf(signJws({}, signing, { kid: 'schlüssel-1', typ: 'x+jwt' }))).toBe(
      `{"alg":"${alg}","kid":"schlüssel-1","typ":"x+jwt"}`,
    );
  });

  it('is what another implementation makes and accepts', () => {
    expect(jwt.verify(text, verifying.key, { algorithms: [alg] })).toEqual({ a: 'ä' });
    const theirs = jwt.sign({ b: 2 }, signing.key, { algorithm: alg, noTimestamp: true });
    expect(isSignedBy(parseJws(theirs, MAX), verifying)).toBe(true);
  });

  it('is not verified when anything of it was changed', () => {
    const [header = '', payload = '', signature = ''] = text.split('.');
    const bytes = Buffer.from(signature, 'base64url');
    const flipped = Buffer.from(bytes.map((byte, at) => (at === 5 ? byte ^ 1 : byte)));
    const changed = [
      [header, part('{"a":"b"}'), signature],
      [part(`{"alg":"${alg}","typ":"jwt"}`), payload, signature],
      [header, payload, flipped.toString('base64url')],
      [header, payload, bytes.subarray(1).toString('base64url')],
      [header, payload, Buffer.alloc(bytes.length).toString('base64url')],
    ].map((parts) => parts.join('.'));
    expect(changed.filter((each) => isSignedBy(parseJws(each, MAX), verifying))).toEqual([]);
  });
});

describe('isSignedBy', () => {
  it('never takes the algorithm from the text', () => {
    const input = `${part('{"alg":"HS256"}')}.${part('{}')}`;
    const pem = ec.publicKey.export({ type: 'spki', format: 'pem' });
    const forged = `${input}.${createHmac('sha256', pem).update(input).digest('base64url')}`;
    const unsigned = `${part('{"alg":"none"}')}.${part('{}')}.AA`;
    const pinned: JwsKey = { alg: 'ES256', key: ec.publicKey };
    expect(isSignedBy(parseJws(forged, MAX), pinned)).toBe(false);
    expect(isSignedBy(parseJws(forged, MAX), { alg: 'HS256', key: ec.publicKey })).toBe(false);
    expect(isSignedBy(parseJws(unsigned, MAX), pinned)).toBe(false);
  });
});

describe('parseJws', () => {
  const HEAD = part('{"alg":"ES256"}');
  const BODY = part('{}');
  const withHead = (head: string): string => `${part(head)}.${BODY}.AA`;

  it.each([
    ['is too long', `${HEAD}.${BODY}.${'A'.repeat(MAX)}`, 'it is too long'],
    ['has two parts', `${HEAD}.${BODY}`, 'it is no compact JWS'],
    ['has four parts', `${HEAD}.${BODY}.AA.AA`, 'it is no compact JWS'],
    ['has no signature', `${HEAD}.${BODY}.`, 'a part is not base64url'],
    ['has a padded signature', `${HEAD}.${BODY}.AA==`, 'a part is not base64url'],
    ['has a signature with bits left over', `${HEAD}.${BODY}.AB`, 'a part is not base64url'],
    ['is in the other alphabet', `${HEAD}.${BODY}.+/+/`, 'a part is not base64url'],
    ['has no UTF-8 in it', `${HEAD}._w.AA`, 'a part is no JSON'],
    ['has a byte order mark', `${HEAD}.${part('\uFEFF{}')}.AA`, 'a part is no JSON'],
    ['has a list as payload', `${HEAD}.${part('[]')}.AA`, 'a part is no JSON object'],
    ['has a member twice', `${HEAD}.${part('{"a":1,"a":2}')}.AA`, 'a part has a member twice'],
    ['has a critical extension', withHead('{"alg":"ES256","crit":["x"]}'), 'its header has "crit"'],
    ['says b64', withHead('{"alg":"ES256","b64":false}'), 'its header has "b64"'],
    ['has no algorithm', withHead('{}'), 'it has no algorithm'],
    ['has a number as kid', withHead('{"alg":"ES256","kid":1}'), 'its kid is no text'],
  ])('refuses a text that %s', (_what, text, reason) => {
    expect(() => parseJws(text, MAX)).toThrow(new MalformedJws(reason));
  });
});

describe('algorithmOf', () => {
  it('gives RSA keys of 2048 bits and EC keys on P-256 one algorithm, and other keys none', () => {
    const small = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const pss = generateKeyPairSync('rsa-pss', { modulusLength: 2048 });
    const p384 = generateKeyPairSync('ec', { namedCurve: 'secp384r1' });
    const ed = generateKeyPairSync('ed25519');
    expect([rsa, ec].map(({ publicKey }) => algorithmOf(publicKey))).toEqual(['RS256', 'ES256']);
    expect([rsa, ec].map(({ privateKey }) => algorithmOf(privateKey))).toEqual(['RS256', 'ES256']);
    expect([small, pss, p384, ed].map(({ publicKey }) => algorithmOf(publicKey))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(algorithmOf(secret)).toBeUndefined();
  });
});
