import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { type Logger } from '@tenure/process';
import {
  createIssuerTokens,
  createJwksSource,
  fixedKeys,
  type Identity,
  identityOf,
  type JwksSource,
  keysOfSet,
  type KeySource,
  verificationKey,
  type VerificationKey,
} from '@tenure/tokens';
import { createTokenAuthority } from '../application/authentication/token-authority.js';
import { createRevocationList } from '../application/revocation/revocation-list.js';
import {
  CLAIMS,
  type FakeServer,
  json,
  newSigner,
  signToken,
  startFake,
} from '../testing/fakes.js';
import { credentialsOf } from './bearer.js';

const signer = newSigner('k1');
const NOW = Math.floor(Date.now() / 1000);
const FULL = { ...CLAIMS, iat: NOW, exp: NOW + 600 };
const HEADER = '{"alg":"ES256","typ":"JWT","kid":"k1"}';

function usable(jwk: unknown): VerificationKey {
  const key = verificationKey(jwk);
  if (key === undefined) throw new Error('not usable');
  return key;
}
interface Verifier {
  readonly verify: (token: string) => Promise<Identity>;
}
function verifierOf(source: KeySource): Verifier {
  const authority = createTokenAuthority({
    issuers: createIssuerTokens([{ name: 'test-issuer', audience: 'tenure', source, identityOf }]),
    keystone: undefined,
    jwsKeys: undefined,
    revocations: createRevocationList(),
  });
  return {
    verify: async (token) => authority.identify({ token, address: '', allowExpired: false }),
  };
}
const verifier = verifierOf(fixedKeys([usable(signer.jwk)]));

const encode = (text: string): string => Buffer.from(text).toString('base64url');
function compact(header: string, payload: string, key: KeyObject = signer.privateKey): string {
  const input = `${encode(header)}.${encode(payload)}`;
  const signature = sign(
    'sha256',
    Buffer.from(input),
    key.asymmetricKeyType === 'ec' ? { key, dsaEncoding: 'ieee-p1363' } : key,
  );
  return `${input}.${signature.toString('base64url')}`;
}
const token = (claims: Readonly<Record<string, unknown>>): string =>
  compact(HEADER, JSON.stringify(claims));
const without = (name: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(FULL).filter(([key]) => key !== name));
const unscoped = without('project_id');
async function verdict(text: string, by: Verifier = verifier): Promise<unknown> {
  try {
    return (await by.verify(text)).subject.user_id;
  } catch (error) {
    return error instanceof Error && 'status' in error ? error.status : error;
  }
}

describe('a good token', () => {
  it.each([
    [FULL, { project_id: 'p1', system_scope: null, domain_id: null }],
    [
      { ...unscoped, system_scope: 'all' },
      { project_id: null, system_scope: 'all', domain_id: null },
    ],
    [
      { ...unscoped, domain_id: 'd1' },
      { project_id: null, system_scope: null, domain_id: 'd1' },
    ],
    [unscoped, { project_id: null, system_scope: null, domain_id: null }],
  ])('identifies the caller: %j', async (claims, scope) => {
    expect((await verifier.verify(token(claims))).subject).toEqual({
      user_id: 'alice',
      roles: ['member'],
      ...scope,
    });
  });

  it('may have further claims about the project, and several audiences', async () => {
    const claims = {
      ...FULL,
      aud: ['other', 'tenure'],
      project_name: 'service',
      project_domain_id: 'default',
      is_admin_project: false,
      extra: { a: 1 },
    };
    expect((await verifier.verify(token(claims))).subject).toEqual({
      user_id: 'alice',
      roles: ['member'],
      project_id: 'p1',
      system_scope: null,
      domain_id: null,
      project_name: 'service',
      project_domain_id: 'default',
      is_admin_project: false,
    });
  });

  it('needs no kid, any typ, and may be a minute ahead', async () => {
    expect(await verdict(compact('{"alg":"ES256","typ":"at+jwt"}', JSON.stringify(FULL)))).toBe(
      'alice',
    );
    expect(await verdict(token({ ...FULL, iat: NOW + 50, nbf: NOW + 50 }))).toBe('alice');
  });

  it('may be signed with RS256 by a key of 2048 bits', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const source = fixedKeys([usable({ ...publicKey.export({ format: 'jwk' }), kid: 'k1' })]);
    const rsa = verifierOf(source);
    expect(await verdict(compact('{"alg":"RS256"}', JSON.stringify(FULL), privateKey), rsa)).toBe(
      'alice',
    );
    expect(await verdict(compact('{"alg":"RS512"}', JSON.stringify(FULL), privateKey), rsa)).toBe(
      401,
    );
    expect(await verdict(token(FULL), rsa)).toBe(401);
  });
});

describe('a token is refused', () => {
  it.each([
    ['expired', { ...FULL, exp: NOW - 1 }],
    ['from the future', { ...FULL, iat: NOW + 120 }],
    ['not valid yet', { ...FULL, nbf: NOW + 120 }],
    ['without exp', without('exp')],
    ['with exp as a string', { ...FULL, exp: String(NOW + 600) }],
    ['with half a second in exp', { ...FULL, exp: NOW + 600.5 }],
    ['with an exp that is no exact number', { ...FULL, exp: 2 ** 53 }],
    ['without iat', without('iat')],
    ['without jti', without('jti')],
    ['with an empty jti', { ...FULL, jti: '' }],
    ['without sub', without('sub')],
    ['with an empty sub', { ...FULL, sub: '' }],
    ['with a number as sub', { ...FULL, sub: 7 }],
    ['with half a surrogate pair as sub', { ...FULL, sub: '\ud800' }],
    ['with a blank before its sub', { ...FULL, sub: ' u1' }],
    ['with a character without width in its sub', { ...FULL, sub: 'u\u200b1' }],
    ['with a newline in its project', { ...FULL, project_id: 'p1\n' }],
    ['with a blank as project', { ...FULL, project_id: ' ' }],
    ['with a byte order mark in its domain', { ...unscoped, domain_id: 'd\ufeff1' }],
    ['with a blank after the domain of its project', { ...FULL, project_domain_id: 'd1 ' }],
    ['without roles', without('roles')],
    ['with roles as a string', { ...FULL, roles: 'admin' }],
    ['with a role that is no string', { ...FULL, roles: ['member', 1] }],
    ['with an empty role', { ...FULL, roles: [''] }],
    [
      'with 65 roles',
      { ...FULL, roles: Array.from({ length: 65 }, (_role, index) => `r${String(index)}`) },
    ],
    ['with a null project', { ...FULL, project_id: null }],
    ['with an empty project', { ...FULL, project_id: '' }],
    ['with a list as project', { ...FULL, project_id: ['p1'] }],
    ['with two scopes', { ...FULL, domain_id: 'd1' }],
    ['with project and system scope', { ...FULL, system_scope: 'all' }],
    ['with another system scope', { ...unscoped, system_scope: 'some' }],
    ['with system_scope true', { ...unscoped, system_scope: true }],
    ['with an is_admin_project that is no boolean', { ...FULL, is_admin_project: 'true' }],
    ['with a project_name that is no string', { ...FULL, project_name: 1 }],
    ['of another issuer', { ...FULL, iss: 'other' }],
    ['of no issuer', without('iss')],
    ['for another audience', { ...FULL, aud: 'other' }],
    ['for no audience', without('aud')],
    ['for a list of audiences with something else in it', { ...FULL, aud: ['tenure', 1] }],
  ])('%s', async (_what, claims) => {
    expect(await verdict(token(claims))).toBe(401);
  });

  it.each([
    ['alg none', '{"alg":"none"}'],
    ['another alg', '{"alg":"HS256","kid":"k1"}'],
    ['no alg', '{"kid":"k1"}'],
    ['another kid', '{"alg":"ES256","kid":"k2"}'],
    ['kid as a number', '{"alg":"ES256","kid":1}'],
    ['crit', '{"alg":"ES256","kid":"k1","crit":["b64"],"b64":true}'],
    ['b64', '{"alg":"ES256","kid":"k1","b64":true}'],
    ['b64 that is false', '{"alg":"ES256","kid":"k1","b64":false}'],
    ['an empty crit', '{"alg":"ES256","kid":"k1","crit":[]}'],
    ['a member twice', '{"alg":"none","alg":"ES256","kid":"k1"}'],
    ['a list', '["ES256"]'],
  ])('with a header of %s', async (_what, header) => {
    expect(await verdict(compact(header, JSON.stringify(FULL)))).toBe(401);
  });

  it('with a claim twice, also when one is written with an escape', async () => {
    const text = JSON.stringify(FULL);
    expect(await verdict(compact(HEADER, text.replace('{', '{"project_id":"p2",')))).toBe(401);
    expect(await verdict(compact(HEADER, text.replace('{', '{"project\\u005fid":"p2",')))).toBe(
      401,
    );
  });

  it('signed with HS256 under the public key', async () => {
    const { createHmac } = await import('node:crypto');
    const pem = createPublicKey(
      createPrivateKey(signer.privateKey.export({ type: 'pkcs8', format: 'pem' })),
    ).export({ type: 'spki', format: 'pem' });
    const input = `${encode('{"alg":"HS256","kid":"k1"}')}.${encode(JSON.stringify(FULL))}`;
    expect(
      await verdict(`${input}.${createHmac('sha256', pem).update(input).digest('base64url')}`),
    ).toBe(401);
  });

  it('spelt otherwise than in strict base64url', async () => {
    const good = token(FULL);
    const [header = '', payload = '', signature = ''] = good.split('.');
    const last = signature.at(-1) ?? '';
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const junkBits = `${signature.slice(0, -1)}${alphabet[alphabet.indexOf(last) + 1] ?? ''}`;
    for (const bad of [
      `${good}=`,
      `${header}.${payload}.${junkBits}`,
      `${good} `,
      ` ${good}`,
      `${good}.`,
      `${header}.${payload}`,
      `${header}.${payload}.`,
      `${header}\n.${payload}.${signature}`,
      'x',
      '',
      '..',
      `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
      `${header}.${encode('{"a":')}.${signature}`,
    ])
      expect([bad, await verdict(bad)]).toEqual([bad, 401]);
    expect(await verdict(good)).toBe('alice');
  });

  it('when it was cached and has expired since', async () => {
    const clock = jest.spyOn(Date, 'now').mockReturnValue((NOW + 599) * 1000);
    const remembered = token(FULL);
    try {
      expect(await verdict(remembered)).toBe('alice');
      clock.mockReturnValue((NOW + 600) * 1000);
      expect(await verdict(remembered)).toBe(401);
    } finally {
      clock.mockRestore();
    }
  });
});

describe('a key set', () => {
  const ec = newSigner('a').jwk;
  const rsaOf = (bits: number): object =>
    generateKeyPairSync('rsa', { modulusLength: bits }).publicKey.export({ format: 'jwk' });

  it.each([
    ['RSA under 2048 bits', rsaOf(1024)],
    [
      'another curve',
      generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'jwk' }),
    ],
    ['Ed25519', generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })],
    ['a shared secret', { kty: 'oct', k: 'AAAA' }],
    ['another alg', { ...ec, alg: 'ES384' }],
    ['use: enc', { ...ec, use: 'enc' }],
    ['key_ops without verify', { ...ec, key_ops: ['sign'] }],
    ['a point that is none', { ...ec, x: ec.y }],
    ['a kid that is no string', { ...ec, kid: 1 }],
    ['nothing', null],
  ])('may hold a key that may not be used, which is ignored: %s', (_what, key) => {
    expect(keysOfSet({ keys: [key, ec] }).map(({ kid }) => kid)).toEqual(['a']);
  });

  it('with a key twice its size, with private members, or without use is accepted', () => {
    const { privateKey } = newSigner('b');
    expect(
      keysOfSet({
        keys: [
          rsaOf(4096),
          privateKey.export({ format: 'jwk' }),
          { ...ec, use: undefined, key_ops: ['verify'] },
        ],
      }),
    ).toHaveLength(3);
    expect(keysOfSet({ keys: [privateKey.export({ format: 'jwk' })] })[0]?.key.type).toBe('public');
  });

  it('that is none is an error', () => {
    expect(() => keysOfSet({ keys: {} })).toThrow('not a JSON Web Key Set');
  });
});

describe('keys that are fetched', () => {
  let server: FakeServer;
  let source: JwksSource;
  const quiet = { warn: () => undefined } as unknown as Logger; // only what the source calls
  const first = newSigner('one');
  const second = newSigner('two');
  const serve = (...signers: (typeof first)[]): void => {
    server.answer = (_request, response): void => {
      json(response, 200, { keys: signers.map(({ jwk }) => jwk) });
    };
  };
  const start = async (
    options: {
      readonly refreshMs?: number;
      readonly cooldownMs?: number;
      readonly deadlineMs?: number;
    } = {},
  ): Promise<Verifier> => {
    server = await startFake((_request, response) => {
      json(response, 200, { keys: [first.jwk] });
    });
    source = createJwksSource({
      urls: [server.url],
      logger: quiet,
      refreshMs: 60_000,
      cooldownMs: 0,
      deadlineMs: 15_000,
      ...options,
    });
    return verifierOf(source);
  };
  afterEach(async () => {
    source.stop();
    await server.close();
  });

  it('verify tokens, and a new key is fetched when a token needs it', async () => {
    const fetched = await start();
    expect(await verdict(signToken(first, FULL), fetched)).toBe('alice');
    serve(first, second);
    expect(await verdict(signToken(second, FULL), fetched)).toBe('alice');
    expect(await verdict(signToken(first, FULL), fetched)).toBe('alice');
  });

  it('stop working when they are removed, also for cached tokens', async () => {
    const fetched = await start({ refreshMs: 30 });
    const old = signToken(first, FULL);
    expect(await verdict(old, fetched)).toBe('alice');
    serve(second);
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(await verdict(old, fetched)).toBe(401);
    expect(await verdict(signToken(second, FULL), fetched)).toBe('alice');
  });

  it('go on working while the set cannot be fetched', async () => {
    const fetched = await start({ deadlineMs: 3000 });
    expect(await verdict(signToken(first, FULL), fetched)).toBe('alice');
    server.answer = (): void => undefined;
    expect(await verdict(signToken(second, FULL), fetched)).toBe(401);
    expect(await verdict(signToken(first, { ...FULL, jti: 'another' }), fetched)).toBe('alice');
  });

  it('go on working while the set is refused, is too large, or is none', async () => {
    const fetched = await start();
    expect(await verdict(signToken(first, FULL), fetched)).toBe('alice');
    for (const answer of [
      (_request: unknown, response: Parameters<FakeServer['answer']>[1]): void => {
        json(response, 500, {});
      },
      (_request: unknown, response: Parameters<FakeServer['answer']>[1]): void => {
        json(response, 200, { keys: ['x'.repeat(300_000)] });
      },
      (_request: unknown, response: Parameters<FakeServer['answer']>[1]): void => {
        json(response, 200, []);
      },
    ]) {
      server.answer = answer;
      expect(await verdict(signToken(second, FULL), fetched)).toBe(401);
      expect(
        await verdict(signToken(first, { ...FULL, jti: String(Math.random()) }), fetched),
      ).toBe('alice');
    }
  });

  it('are fetched at a limited rate for tokens of unknown keys', async () => {
    const fetched = await start({ cooldownMs: 60_000 });
    await Promise.all(
      [1, 2, 3].map((jti) =>
        verdict(signToken(second, { ...FULL, jti: `j${String(jti)}` }), fetched),
      ),
    );
    expect(await verdict(signToken(second, FULL), fetched)).toBe(401);
    expect(server.received).toHaveLength(1);
  });

  it('make a token 503, not 401, when they could never be fetched', async () => {
    const fetched = await start();
    server.answer = (): void => undefined;
    source.stop();
    source = createJwksSource({
      urls: [server.url],
      logger: quiet,
      refreshMs: 60_000,
      cooldownMs: 0,
      deadlineMs: 50,
    });
    const without = verifierOf(source);
    expect(await verdict(signToken(first, FULL), without)).toBe(503);
    expect(await verdict(signToken(first, { ...FULL, exp: NOW - 1 }), without)).toBe(401);
    expect(fetched).toBeDefined();
  });
});

describe('the credentials of a request', () => {
  it.each([
    [{ 'x-auth-token': 'T' }, { kind: 'token', token: 'T' }],
    [{ authorization: 'Bearer T' }, { kind: 'token', token: 'T' }],
    [{ authorization: 'bearer  T' }, { kind: 'token', token: 'T' }],
    [{ authorization: 'Basic dTpw' }, { kind: 'basic', user: 'u', password: 'p' }],
    [{ authorization: 'Basic dTpwOnE=' }, { kind: 'basic', user: 'u', password: 'p:q' }],
    [{ 'x-auth-token': '' }, undefined],
    [{}, undefined],
  ])('come from either header: %j', (headers, expected) => {
    expect(credentialsOf(headers)).toEqual(expected);
  });

  it('must not come in both headers', () => {
    expect(() => credentialsOf({ 'x-auth-token': 'T', authorization: 'Bearer T' })).toThrow(
      expect.objectContaining({ status: 400 }),
    );
  });

  it.each([
    ['another scheme', 'Digest T'],
    ['two tokens', 'Bearer a b'],
    ['Basic without a colon', 'Basic dXA='],
    ['Basic without a user', 'Basic OnA='],
    ['Basic in loose base64', 'Basic dTpx1'],
    ['Basic in another encoding than UTF-8', 'Basic /zpw'],
  ])('must not come as %s', (_what, authorization) => {
    expect(() => credentialsOf({ authorization })).toThrow(
      expect.objectContaining({ status: 401 }),
    );
  });
});
