import { describe, expect, it } from '@jest/globals';
import { certifiedDigest, signCertificate } from '../certificate.js';
import { type JsonObject } from '../json-object.js';
import { policyDataOf } from '../policy-material.js';
import { newKeys } from '../testing/keys.js';
import { type BundleEntries } from './bundle-entries.js';
import { signBundle } from './bundle-signature.js';
import { openBundle } from './open-bundle.js';

const { signing, pinned } = newKeys('ec', 'release');
const wasm = Buffer.from('wasm');
const data = {
  tenure: {
    actions: { 'a:b': { grants: ['x'] } },
    grants: { catalogue: { x: 'the x' } },
    switches: { on: true },
  },
};
const overlay = { file: 'mine.json', text: '{"a:b": []}' };
const overlaid = policyDataOf({ data, overlays: [overlay] }, {});

const certificateFor = (about: JsonObject): string =>
  signCertificate(
    {
      policy: certifiedDigest(wasm, about),
      revision: `sha256:${'0'.repeat(64)}`,
      overlays: [],
      switches: ['on'],
      model: {
        questions: 1,
        actions: 1,
        scopes: 1,
        role_sets: 1,
        relations: 1,
        switch_combinations: 2,
      },
      invariants: [{ name: 'nobody', sentence: 'Nobody does.', looked: 1, broken: 0 }],
      issued_at: '2026-11-21T06:00:00Z',
      tool: { name: 'tenure', version: '0.1.0' },
    },
    signing,
  );

const bundleWith = (files: Readonly<Record<string, string>> = {}): BundleEntries =>
  new Map<string, Uint8Array>([
    ['policy.wasm', wasm],
    ['data.json', Buffer.from(JSON.stringify(data))],
    ...Object.entries(files).map(([name, text]) => [name, Buffer.from(text)] as const),
  ]);

const trusting = { keys: [pinned], requireCertificate: false };
const anybody = { keys: [], requireCertificate: false };

describe('openBundle', () => {
  it('takes a plain bundle apart when nobody is pinned', () => {
    const golden = [{ name: 'n', input: { action: 'a:b' }, expect: { allow: false } }];
    const files = {
      'tenure/golden.json': JSON.stringify(golden),
      '.manifest': '{"revision": "v1", "roots": [""]}',
    };
    expect(openBundle(bundleWith(files), anybody, [])).toEqual({
      wasm,
      data,
      golden,
      provenance: { revision: 'v1', roots: [''], build: undefined },
      signedBy: undefined,
      certificate: undefined,
    });
  });

  it('says whose signature it has, once somebody is pinned', () => {
    expect(openBundle(signBundle(bundleWith(), signing), trusting, []).signedBy).toBe('release');
  });

  it.each([
    ['has none', () => bundleWith()],
    ['has one of somebody else', () => signBundle(bundleWith(), newKeys('ec', 'release').signing)],
    [
      'was changed behind it',
      () => new Map(signBundle(bundleWith(), signing)).set('policy.wasm', Buffer.from('other')),
    ],
  ])('refuses one that must be signed and %s', (_what, make) => {
    expect(() => openBundle(make(), trusting, [])).toThrow(/signature is refused/u);
  });

  it('refuses golden decisions that cannot be read', () => {
    const bundle = bundleWith({ 'tenure/golden.json': '{}' });
    expect(() => openBundle(bundle, anybody, [])).toThrow('is not a list of decisions');
  });
});

describe('a certificate in a bundle', () => {
  const opened = (about: JsonObject, overlays = [overlay], requireCertificate = false) =>
    openBundle(
      signBundle(bundleWith({ 'tenure/certificate.jws': certificateFor(about) }), signing),
      { keys: [pinned], requireCertificate },
      overlays,
    ).certificate?.policy;

  it('is about the bundle, with or without the overlays that it is loaded with', () => {
    expect(opened(data, [])).toBe(certifiedDigest(wasm, data));
    expect(opened(data)).toBe(certifiedDigest(wasm, data));
    expect(opened(overlaid)).toBe(certifiedDigest(wasm, overlaid));
  });

  it('refuses the bundle when it is about another', () => {
    const other = { tenure: { ...data.tenure, actions: { 'a:b': { grants: ['x', 'x'] } } } };
    expect(() => opened(other)).toThrow('it is about another policy');
    expect(() => opened(other, [])).toThrow('it is about another policy');
  });

  it('must be about the bundle with its overlays where one is demanded', () => {
    expect(opened(overlaid, [overlay], true)).toBe(certifiedDigest(wasm, overlaid));
    expect(() => opened(data, [overlay], true)).toThrow('it is about another policy');
  });

  it('is missed where one is demanded', () => {
    const bundle = signBundle(bundleWith(), signing);
    expect(() => openBundle(bundle, { keys: [pinned], requireCertificate: true }, [])).toThrow(
      'the bundle has no certificate (tenure/certificate.jws)',
    );
  });
});
