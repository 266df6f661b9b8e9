import { copyFileSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { buildBundle, buildRego } from '@tenure/policy/testing';
import { createLogger } from '@tenure/process';
import { bundleOpener } from '../../adapters/bundle-opener.js';
import { wasmEngines } from '../../adapters/policy-engine-wasm.js';
import { createFilePolicySource } from '../../adapters/policy-source-files.js';
import { createMemoryPolicyStore } from '../../adapters/policy-store-memory.js';
import { createPolicyActivator, type PolicyActivator } from './activator.js';
import { createPolicyLoader } from './loader.js';

const subject = { user_id: 'u', project_id: 'p', system_scope: null, roles: [] };
const read = { action: 'baremetal:node:get', subject, resource: { type: 'node', owner: 'q' } };
const invariants = [
  { name: 'nothing is denied', expect: { allow: false } },
  { name: 'strangers do not see', input: read, expect: { allow: false, visible: false } },
];

let sane: string;
let hostile: string;
let foreverSlow: string;
beforeAll(() => {
  sane = buildBundle('sane');
  hostile = buildBundle('hostile');
  foreverSlow = buildRego(`package tenure.authz
# METADATA
# entrypoint: true
# scope: document
decision := count([1 | some a in numbers.range(1, 100000); some b in numbers.range(1, 100000); a * b == 17])
# METADATA
# entrypoint: true
# scope: document
batch := {}
`);
});

let directory: string;
let bundle: string;
let events: string[];
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'tenure-pdp-activator-'));
  bundle = path.join(directory, 'bundle.tar.gz');
  events = [];
});

const keep = (
  location: string,
  overlays: readonly string[] = [],
  switches: Record<string, boolean | string | undefined> = {},
): Promise<PolicyActivator> =>
  createPolicyActivator({
    source: createFilePolicySource({ bundle: location, overlays }),
    loader: createPolicyLoader({
      open: bundleOpener(() => ({ keys: [], requireCertificate: false })),
      compile: wasmEngines(512),
      switches,
      invariants,
      now: () => performance.now(),
    }),
    store: createMemoryPolicyStore(),
    deadlineMs: 5000,
    keep: 10,
    now: () => new Date('2026-11-21T06:00:00Z'),
    logger: createLogger('test', 'fatal', { write: () => undefined }),
    metrics: {
      activated: () => undefined,
      pinned: () => undefined,
      loaded: (outcome) => events.push(outcome),
    },
  });

function overlay(text: string): string {
  const file = path.join(directory, 'overlay.yaml');
  writeFileSync(file, text);
  return file;
}

describe('the first policy', () => {
  it('is in service when it passes its self-test', async () => {
    copyFileSync(sane, bundle);
    const activator = await keep(bundle);
    expect(activator.current().revision).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(activator.current().engine.evaluate('decision', read)).toMatchObject({ allow: false });
  });

  it('may be a directory that holds the bundle', async () => {
    copyFileSync(sane, bundle);
    expect((await keep(directory)).current().revision).toBe(
      (await keep(bundle)).current().revision,
    );
  });

  it('follows overlays and switches, and says so in its revision', async () => {
    copyFileSync(sane, bundle);
    const plain = await keep(bundle);
    const changed = await keep(bundle, [overlay('baremetal:node:list: [owner_reader]\n')]);
    const list = { ...read, action: 'baremetal:node:list', resource: { type: 'node', owner: 'p' } };
    expect(plain.current().engine.evaluate('decision', list)).toMatchObject({ allow: false });
    expect(changed.current().engine.evaluate('decision', list)).toMatchObject({ allow: true });
    expect(changed.current().revision).not.toBe(plain.current().revision);
    const switched = await keep(bundle, [], { rbac_service_project: 'other' });
    expect(switched.current().revision).not.toBe(plain.current().revision);
  });

  it.each([
    ['is not there', () => path.join(directory, 'missing'), 'cannot be read (ENOENT)'],
    ['gives odd answers', () => hostile, 'the policy gave no result'],
  ])('is refused when it %s', async (_what, location, message) => {
    await expect(keep(location())).rejects.toThrow(message);
  });

  it('is refused when an overlay and a switch together allow everybody', async () => {
    copyFileSync(sane, bundle);
    const open = [overlay('baremetal:node:get: [everybody]\n')];
    await expect(keep(bundle, open, { open_access: true })).rejects.toThrow(
      'fails its self-test "strangers do not see": allow is true',
    );
  });
});

describe('a new policy', () => {
  it('takes over when it is good, and only when it differs', async () => {
    copyFileSync(sane, bundle);
    const file = overlay('');
    const activator = await keep(bundle, [file]);
    const before = activator.current().revision;
    await activator.reloadIfChanged();
    await activator.reload();
    expect(activator.current().revision).toBe(before);
    writeFileSync(file, 'baremetal:node:list: [owner_reader]\n');
    await activator.reloadIfChanged();
    expect(activator.current().revision).not.toBe(before);
    expect(events).toEqual(['activated', 'unchanged', 'activated']);
  });

  it.each([
    ['corrupt', () => Buffer.from('half a bundle')],
    ['empty', () => Buffer.alloc(0)],
  ])('is refused when it is %s, and the old one stays', async (_what, content) => {
    copyFileSync(sane, bundle);
    const activator = await keep(bundle);
    const before = activator.current();
    writeFileSync(bundle, content());
    await activator.reloadIfChanged();
    expect(activator.current()).toBe(before);
    expect(events).toEqual(['activated', 'refused']);
    copyFileSync(sane, bundle);
    await activator.reload();
    expect(events).toEqual(['activated', 'refused', 'unchanged']);
  });

  it('is refused when it never answers, and the old one stays', async () => {
    copyFileSync(sane, bundle);
    const activator = await keep(bundle);
    const before = activator.current();
    copyFileSync(foreverSlow, bundle);
    await activator.reload();
    expect(activator.current()).toBe(before);
    expect(events).toEqual(['activated', 'refused']);
  });
});
