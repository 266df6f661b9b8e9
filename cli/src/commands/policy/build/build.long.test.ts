import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { memberOf, pinnedKeyOf } from '@tenure/policy';
import { readBundleEntries, verifyBundle } from '@tenure/policy/runtime';
import { buildBundle, newKeyPair } from '@tenure/policy/testing';
import { type Run, runTenure } from '../testing/run-tenure.js';

const directory = mkdtempSync(path.join(tmpdir(), 'tenure-build-'));
const file = (name: string): string => path.join(directory, name);
const overlay = file('shut.yaml');
writeFileSync(overlay, 'baremetal:node:get: []\n');

let bundle: string;
beforeAll(() => {
  bundle = buildBundle('sane');
}, 30_000);

const build = (out: string, ...args: readonly string[]): Promise<Run> =>
  runTenure('policy', 'build', '--bundle', bundle, '--out', file(out), ...args);

const entriesOf = (name: string) => readBundleEntries(readFileSync(file(name)));

const jsonIn = async (name: string, entry: string): Promise<unknown> =>
  JSON.parse(Buffer.from((await entriesOf(name)).get(entry) ?? []).toString());

describe('tenure policy build', () => {
  it('merges overlays and switches into the data, and says so in the manifest', async () => {
    const { stdout, error } = await build(
      ...['merged.tar.gz', '--overlay', overlay, '--switch', 'open_access=on', '--json'],
    );
    expect(error).toBeUndefined();
    const data = await jsonIn('merged.tar.gz', 'data.json');
    expect(data).toMatchObject({
      tenure: {
        actions: { 'baremetal:node:get': { grants: [] } },
        switches: { open_access: true },
      },
    });
    const revision: unknown = memberOf(JSON.parse(stdout), 'revision');
    expect(revision).toMatch(/^sha256:[0-9a-f]{64}$/u);
    expect(await jsonIn('merged.tar.gz', '.manifest')).toMatchObject({
      revision,
      metadata: {
        tenure: {
          overlays: [
            {
              file: 'shut.yaml',
              // sha256sum of the line above
              sha256: 'a28bdcfc0313c1b68284adffe9bf9f90cbeeba71e60461d13a63f2120fbd3de2',
            },
          ],
        },
      },
    });
  });

  it('writes the same bytes for the same input, which the other commands take', async () => {
    await build('one.tar.gz', '--overlay', overlay);
    await build('two.tar.gz', '--overlay', overlay);
    expect(readFileSync(file('one.tar.gz')).equals(readFileSync(file('two.tar.gz')))).toBe(true);
    const matrix = ['policy', 'matrix', '--format', 'csv', '--bundle'];
    const built = await runTenure(...matrix, file('one.tar.gz'));
    expect(built.stdout).toBe((await runTenure(...matrix, bundle, '--overlay', overlay)).stdout);
    expect(built.stdout).toMatch(/baremetal:node:get(?:,\.){24}/u);
  });

  it('signs what it built, certificate included, so that opa verifies it', async () => {
    const { privatePem, publicPem } = newKeyPair('ec');
    writeFileSync(file('private.pem'), privatePem);
    writeFileSync(file('public.pem'), publicPem);
    writeFileSync(file('proof.jws'), 'a.b.c\n');
    const { stdout } = await build(
      ...['signed.tar.gz', '--sign-key', file('private.pem'), '--key-id', 'main'],
      ...['--certificate', file('proof.jws')],
    );
    expect(stdout).toMatch(/ bytes, signed with ES256 by main\n$/u);
    const entries = await entriesOf('signed.tar.gz');
    expect(verifyBundle(entries, { keys: [pinnedKeyOf(publicPem, 'main')] })).toBe('main');
    expect(Buffer.from(entries.get('tenure/certificate.jws') ?? []).toString()).toBe('a.b.c\n');
    const opa = spawnSync(
      'opa',
      [
        ...['build', '-b', 'signed.tar.gz', '--verification-key', 'public.pem'],
        ...['--verification-key-id', 'main', '--signing-alg', 'ES256', '-o', 'verified.tar.gz'],
      ],
      { cwd: directory, encoding: 'utf8' },
    );
    expect(opa.stdout + opa.stderr).toBe('');
    expect(opa.status).toBe(0);
  });

  it('leaves out what was not about the new bundle: its signature and its certificate', async () => {
    const again = runTenure(
      ...['policy', 'build', '--bundle', file('signed.tar.gz'), '--out', file('again.tar.gz')],
    );
    expect((await again).error).toBeUndefined();
    const names = [...(await entriesOf('again.tar.gz')).keys()];
    expect(names).not.toContain('.signatures.json');
    expect(names).not.toContain('tenure/certificate.jws');
  });

  it.each([
    ['an overlay is wrong', ['--overlay', 'BAD'], 'rule baremetal:no:such: unknown action'],
    ['a switch is unknown', ['--switch', 'no_such=on'], 'no switch no_such'],
    ['the key is none', ['--sign-key', 'BAD'], 'no PEM of a private key'],
  ])('writes nothing when %s', async (_what, args, message) => {
    writeFileSync(file('bad.yaml'), 'baremetal:no:such: []\n');
    const named = args.map((arg) => (arg === 'BAD' ? file('bad.yaml') : arg));
    const { error } = await build('never.tar.gz', ...named);
    expect(String(error)).toContain(message);
    expect(existsSync(file('never.tar.gz'))).toBe(false);
  });
});
