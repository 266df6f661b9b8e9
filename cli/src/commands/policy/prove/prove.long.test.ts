import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { memberOf } from '@tenure/policy';
import { newKeyPair } from '@tenure/policy/testing';
import { ExitStatus } from '../../../terminal/exit-status.js';
import { type Run, runTenure } from '../testing/run-tenure.js';
import { smallBundle } from '../testing/small-bundle.js';

const directory = mkdtempSync(path.join(tmpdir(), 'tenure-prove-'));
const file = (name: string): string => path.join(directory, name);

let bundle: string;
beforeAll(() => {
  bundle = smallBundle();
  const keys = { ours: newKeyPair('ec'), theirs: newKeyPair('ec'), rsa: newKeyPair('rsa') };
  for (const [name, { privatePem, publicPem }] of Object.entries(keys)) {
    writeFileSync(file(`${name}.pem`), privatePem);
    writeFileSync(file(`${name}.pub`), publicPem);
  }
}, 30_000);

// Threads need compiled files.
const prove = (...args: readonly string[]): Promise<Run> =>
  runTenure('policy', 'prove', '--bundle', bundle, '--jobs', '1', ...args);

const check = (certificate: string, ...args: readonly string[]): Promise<Run> =>
  runTenure('policy', 'prove', '--check', file(certificate), '--bundle', bundle, ...args);

describe('tenure policy prove', () => {
  it('writes a certificate that --check takes', async () => {
    const run = await prove('--key', file('ours.pem'), '--out', file('proof.jws'), '--json');
    expect(run.error).toBeUndefined();
    const proof: unknown = JSON.parse(run.stdout);
    expect(proof).toMatchObject({
      proven: true,
      out: file('proof.jws'),
      overlays: [],
      switches: [
        'enforce_scope',
        'enforce_new_defaults',
        'project_admin_can_manage_own_nodes',
        'rbac_service_role_elevated_access',
      ],
      model: { actions: 4, scopes: 10, role_sets: 13, relations: 6, switch_combinations: 16 },
    });
    expect(memberOf(proof, 'invariants')).toHaveLength(15);
    const checked = await check('proof.jws', '--key', file('ours.pub'));
    expect(checked.error).toBeUndefined();
    expect(checked.stdout).toMatch(/\nvalid, issued \d{4}-.*Z\n$/u);
  }, 60_000);

  it('has a certificate refused for another policy and for another key', async () => {
    const overlay = file('o.yaml');
    writeFileSync(overlay, 'baremetal:node:get: [system_admin]\n');
    const other = await check('proof.jws', '--key', file('ours.pub'), '--overlay', overlay);
    expect(other.error).toEqual(new ExitStatus(1));
    expect(other.stdout).toBe('the certificate is refused: it is about another policy\n');
    const stranger = await check('proof.jws', '--key', file('theirs.pub'), '--json');
    expect(stranger.error).toEqual(new ExitStatus(1));
    expect(JSON.parse(stranger.stdout)).toEqual({
      valid: false,
      because:
        'the signature is refused: it was not made with the key default, or what is signed was changed',
    });
    const text = readFileSync(file('proof.jws'), 'utf8');
    writeFileSync(file('cut.jws'), text.slice(0, -20));
    expect((await check('cut.jws', '--key', file('ours.pub'))).error).toEqual(new ExitStatus(1));
  });

  it('certifies nothing that is broken', async () => {
    const overlay = file('open.yaml');
    writeFileSync(overlay, 'baremetal:node:get: [system_reader, project_reader]\n');
    const run = await prove(
      ...['--overlay', overlay, '--key', file('ours.pem'), '--out', file('never.jws')],
    );
    expect(run.error).toEqual(new ExitStatus(1));
    expect(run.stdout).toMatch(/^BROKEN {2}third-parties-reach-no-node: [\d,]+ of/mu);
    expect(existsSync(file('never.jws'))).toBe(false);
  }, 60_000);

  it.each([
    ['there is nowhere to write it', ['--key', 'ours.pem'], 'takes both'],
    ['the key is for another algorithm', ['--key', 'rsa.pem', '--out', 'x'], 'signed with ES256'],
    ['the key is a public one', ['--key', 'ours.pub', '--out', 'x'], 'no PEM of a private key'],
    ['a certificate is checked without a key', ['--check', 'x'], '--check needs --key'],
  ])('cannot run when %s', async (_what, args, message) => {
    const named = args.map((arg) => (arg.startsWith('--') ? arg : file(arg)));
    const { error } = await prove(...named);
    expect(error).not.toBeInstanceOf(ExitStatus);
    expect(String(error)).toContain(message);
  });
});
