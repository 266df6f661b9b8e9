import { describe, expect, it } from '@jest/globals';
import {
  certifiedDigest,
  type IsolationCertificate,
  signCertificate,
  verifyCertificate,
} from './certificate.js';
import { signJws } from './jws.js';
import { newKeys } from './testing/keys.js';

const { signing, pinned } = newKeys('ec');
const rsa = newKeys('rsa');
const wasm = Buffer.from('wasm');
const data = {
  tenure: {
    actions: { 'a:b': { grants: ['x'] }, 'a:c': { grants: [] } },
    grants: { catalogue: { x: 'the x' } },
    switches: { on: true },
  },
};
const policy = { wasm, data };

const certificate: IsolationCertificate = {
  format: 'tenure-isolation-certificate/1',
  policy: certifiedDigest(wasm, data),
  revision: `sha256:${'0'.repeat(64)}`,
  overlays: [{ file: 'mine.yaml', sha256: '1'.repeat(64) }],
  switches: ['on', 'other'],
  model: {
    questions: 12,
    actions: 2,
    scopes: 1,
    role_sets: 1,
    relations: 1,
    switch_combinations: 4,
  },
  invariants: [{ name: 'nobody', sentence: 'Nobody does.', looked: 12, broken: 0 }],
  issued_at: '2026-11-21T06:00:00Z',
  tool: { name: 'tenure', version: '0.1.0' },
};

const signed = (changes: Partial<IsolationCertificate>): string =>
  signCertificate({ ...certificate, ...changes }, signing);

describe('verifyCertificate', () => {
  it('gives back a good certificate', () => {
    expect(verifyCertificate(`${signed({})}\n`, [pinned], policy)).toEqual(certificate);
  });

  it('does not mind how switches are set, of which every combination was proven', () => {
    const other = { tenure: { ...data.tenure, switches: { on: false } } };
    expect(verifyCertificate(signed({}), [pinned], { wasm, data: other })).toEqual(certificate);
  });

  it('minds every other change of the policy', () => {
    const row = { ...data.tenure.actions, 'a:c': { grants: ['x'] } };
    const opened = { tenure: { ...data.tenure, actions: row } };
    const other = { wasm: Buffer.from('other'), data };
    for (const each of [{ wasm, data: opened }, other])
      expect(() => verifyCertificate(signed({}), [pinned], each)).toThrow('about another policy');
  });

  it.each([
    [
      'found something broken',
      { invariants: [{ name: 'nobody', sentence: 'Nobody does.', looked: 12, broken: 1 }] },
      'nobody is broken',
    ],
    [
      'looked at nothing',
      { invariants: [{ name: 'nobody', sentence: 'Nobody does.', looked: 0, broken: 0 }] },
      'not of the form',
    ],
    ['has no invariants', { invariants: [] }, 'not of the form'],
    [
      'leaves out an action',
      { model: { ...certificate.model, actions: 1 } },
      'does not cover every action',
    ],
    [
      'leaves out combinations of the switches',
      { model: { ...certificate.model, switch_combinations: 1 } },
      'does not cover every combination',
    ],
  ])('refuses one that %s', (_what, changes, message) => {
    expect(() => verifyCertificate(signed(changes), [pinned], policy)).toThrow(message);
  });

  it('refuses any other signature: of another key, of RS256, of another type', () => {
    const { pinned: stranger } = newKeys('ec');
    expect(() => verifyCertificate(signed({}), [stranger], policy)).toThrow(
      'not made with the key',
    );
    const byRsa = signCertificate(certificate, rsa.signing);
    expect(() => verifyCertificate(byRsa, [rsa.pinned], policy)).toThrow('not pinned');
    const bundles = signJws({ ...certificate }, signing);
    expect(() => verifyCertificate(bundles, [pinned], policy)).toThrow('not of typ');
  });
});
