import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { pinnedKeyOf, signingKeyOf, signJws } from '../jws.js';
import { newKeyPair, newKeys } from '../testing/keys.js';
import { type BundleEntries, readBundleEntries, writeBundleEntries } from './bundle-entries.js';
import { signBundle, verifyBundle } from './bundle-signature.js';

const { signing, pinned } = newKeys('ec', 'main');
const pins = { keys: [pinned] };

const entries = (files: Readonly<Record<string, string>>): BundleEntries =>
  new Map(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)]));

const FILES = { 'data.json': '{"b": 1, "a": ["\u2028"]}', 'policy.wasm': 'w', 'x/y.rego': 'r' };
const bundle = entries(FILES);
const signed = signBundle(bundle, signing);

function changed(change: (files: Map<string, Uint8Array>) => void): BundleEntries {
  const files = new Map(signed);
  change(files);
  return files;
}

const signedAs = (payload: object): BundleEntries =>
  changed((files) => {
    const token = signJws({ ...payload }, signing);
    files.set('.signatures.json', Buffer.from(JSON.stringify({ signatures: [token] })));
  });

describe('verifyBundle', () => {
  it('takes what signBundle signed, and names the key', () => {
    expect(verifyBundle(signed, pins)).toBe('main');
    expect(verifyBundle(signBundle(signed, signing), pins)).toBe('main');
  });

  it('goes by the value of JSON, as OPA does', () => {
    const spaced = changed((files) => {
      files.set('data.json', Buffer.from('{ "a": ["\u2028"],\n "b": 1 }'));
    });
    expect(verifyBundle(spaced, pins)).toBe('main');
  });

  it.each<readonly [string, BundleEntries, string]>([
    ['has no signature', bundle, 'it has no .signatures.json'],
    [
      'has a changed policy',
      changed((files) => files.set('policy.wasm', Buffer.from('evil'))),
      'policy.wasm was changed',
    ],
    [
      'has changed data',
      changed((files) => files.set('data.json', Buffer.from('{"b": 2, "a": ["\u2028"]}'))),
      'data.json was changed',
    ],
    [
      'has a file more',
      changed((files) => files.set('z/data.json', Buffer.from('{}'))),
      'z/data.json is not signed',
    ],
    [
      'hides a file behind the name of the signature',
      changed((files) => files.set('x.signatures.json', Buffer.from('{}'))),
      'x.signatures.json is not where signatures are',
    ],
    [
      'has another signature deeper in it',
      changed((files) => files.set('x/.signatures.json', Buffer.from('{}'))),
      'x/.signatures.json is not where signatures are',
    ],
    [
      'has data in YAML',
      changed((files) => files.set('data.yaml', Buffer.from('a: 1'))),
      'data.yaml is data in YAML',
    ],
    ['lacks a file', changed((files) => files.delete('x/y.rego')), 'x/y.rego is missing'],
    ['has a signature over nothing', signedAs({}), 'it lists no files'],
    ['has a signature over an empty list', signedAs({ files: [] }), 'data.json is not signed'],
    [
      'lists a file by another hash',
      signedAs({ files: [{ name: 'data.json', hash: '0', algorithm: 'MD5' }] }),
      'without name or SHA-256 hash',
    ],
    [
      'lists a file twice',
      signedAs({
        files: ['0', '1'].map((hash) => ({ name: 'data.json', hash, algorithm: 'SHA-256' })),
      }),
      'lists data.json twice',
    ],
    [
      'has two signatures',
      changed((files) => files.set('.signatures.json', Buffer.from('{"signatures":["a","b"]}'))),
      'there must be just one',
    ],
    [
      'is signed with another key',
      signBundle(bundle, newKeys('ec', 'main').signing),
      'was not made with the key main',
    ],
    ['is signed for another scope', signBundle(bundle, signing, 'write'), 'for another scope'],
  ])('refuses a bundle that %s', (_what, files, message) => {
    expect(() => verifyBundle(files, pins)).toThrow(message);
  });

  it('takes a bundle of the scope that is pinned, and of no other', () => {
    const scoped = signBundle(bundle, signing, 'write');
    expect(verifyBundle(scoped, { ...pins, scope: 'write' })).toBe('main');
    expect(() => verifyBundle(signed, { ...pins, scope: 'write' })).toThrow('for another scope');
  });
});

describe.each([
  ['ec', 'ES256'],
  ['rsa', 'RS256'],
] as const)('with %s keys', (type, algorithm) => {
  const { privatePem, publicPem } = newKeyPair(type);
  const directory = mkdtempSync(path.join(tmpdir(), 'tenure-signature-'));
  const file = (name: string): string => path.join(directory, name);
  writeFileSync(file('private.pem'), privatePem);
  writeFileSync(file('public.pem'), publicPem);
  writeFileSync(file('p.rego'), 'package p\n\nallow := data.b == "<&>\u2029é😀"\n');
  writeFileSync(file('data.json'), '{"b": "<&>\u2029é😀", "n": [1, 2.5, -3e-7, null, true]}');
  const opa = (...args: readonly string[]): string => {
    const { stdout, stderr } = spawnSync('opa', args, { cwd: directory, encoding: 'utf8' });
    return stdout + stderr;
  };
  const verifiedByOpa = (bundleFile: string): string =>
    opa(
      ...['build', '-b', bundleFile, '--verification-key', 'public.pem'],
      ...['--signing-alg', algorithm, '-o', 'verified.tar.gz'],
    );

  it('opa takes what signBundle signed, and refuses it once it was changed', async () => {
    opa('build', '-o', 'plain.tar.gz', 'p.rego', 'data.json');
    const plain = await readBundleEntries(readFileSync(file('plain.tar.gz')));
    const files = signBundle(plain, signingKeyOf(privatePem));
    writeFileSync(file('signed.tar.gz'), writeBundleEntries(files));
    expect(verifiedByOpa('signed.tar.gz')).toBe('');
    const evil = new Map(files).set('data.json', Buffer.from('{"b": "evil"}'));
    writeFileSync(file('evil.tar.gz'), writeBundleEntries(evil));
    expect(verifiedByOpa('evil.tar.gz')).toContain('digest mismatch');
  });

  it('verifyBundle takes what opa signed', async () => {
    opa(
      ...['build', '-b', '.', '--ignore', '*.gz', '--signing-key', 'private.pem'],
      ...['--signing-alg', algorithm, '-o', 'by-opa.tar.gz'],
    );
    const files = await readBundleEntries(readFileSync(file('by-opa.tar.gz')));
    expect(verifyBundle(files, { keys: [pinnedKeyOf(publicPem)] })).toBe('default');
  });
});

describe('writeBundleEntries', () => {
  it('gives the same bytes for the same files, and reads back as they were', async () => {
    const archive = writeBundleEntries(signed);
    expect(writeBundleEntries(new Map(signed)).equals(archive)).toBe(true);
    const again = await readBundleEntries(archive);
    expect([...again.keys()]).toEqual(['data.json', 'policy.wasm', 'x/y.rego', '.signatures.json']);
    expect(Buffer.from(again.get('policy.wasm') ?? []).toString()).toBe('w');
  });

  it('refuses a name that would be cut', () => {
    expect(() => writeBundleEntries(entries({ ['x'.repeat(300)]: '' }))).toThrow('too long');
  });
});
