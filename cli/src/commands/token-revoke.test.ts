import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import {
  createFileRevocations,
  createSeal,
  loadOrCreateSealKeys,
  revocationFile,
  type RevocationEntry,
  sealKeyFile,
} from '@tenure/shared-state';
import { createProgram } from '../program.js';

const freshDir = (): string => mkdtempSync(path.join(tmpdir(), 'tenure-revoke-'));
const nowhere = (): Writable =>
  new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });

async function revoke(dataDir: string, ...args: readonly string[]): Promise<void> {
  await createProgram({
    env: { TENURE_DATA_DIR: dataDir },
    stdout: nowhere(),
    stderr: nowhere(),
  }).parseAsync(['node', 'tenure', 'token', 'revoke', ...args]);
}

const listed = (dataDir: string): Promise<readonly RevocationEntry[]> =>
  createFileRevocations(
    revocationFile(dataDir),
    createSeal(...loadOrCreateSealKeys(sealKeyFile(dataDir))),
  ).list();

describe('tenure token revoke', () => {
  it('adds the given tokens and users to the list that the gateway reads', async () => {
    const dir = freshDir();
    await revoke(dir, '--user', 'olga', '--project', 'p1');
    await revoke(dir, '--audit-id', 'a1');
    const entries = await listed(dir);
    expect(entries).toHaveLength(2);
    expect(entries[0]).toMatchObject({ user_id: 'olga', project_id: 'p1' });
    expect(entries[1]).toMatchObject({ audit_id: 'a1' });
    for (const { issued_before, until } of entries) {
      expect(Math.abs(issued_before - Date.now() / 1000)).toBeLessThan(60);
      expect(until - issued_before).toBe(30 * 86_400);
    }
  });

  it('names a token by its digest, so that the list holds no token', async () => {
    const dir = freshDir();
    const file = path.join(dir, 'token');
    writeFileSync(file, 'gAAAA-a-token\n');
    await revoke(dir, '--token-file', file);
    expect((await listed(dir))[0]?.token_sha256).toBe(
      createHash('sha256').update('gAAAA-a-token').digest('base64url'),
    );
    expect(readFileSync(revocationFile(dir), 'utf8')).not.toContain('gAAAA');
  });

  it.each([
    ['nothing to revoke', []],
    ['an empty user, which would be nobody', ['--user', '']],
    ['a duration that is none', ['--user', 'u', '--keep', 'long']],
  ])('refuses %s', async (_what, args) => {
    const dir = freshDir();
    await expect(revoke(dir, ...args)).rejects.toThrow();
    expect(await listed(dir)).toEqual([]);
  });

  it.each([
    ['both a URL and a file', { REDIS_URL: 'redis://:hidden@a', REDIS_URL_FILE: '/nowhere' }],
    ['a file that is not there', { REDIS_URL_FILE: '/nowhere' }],
    ['a URL that is none', { REDIS_URL: 'http://:hidden@a' }],
  ])('refuses %s of Redis, without what is in it', async (_what, env) => {
    const dir = freshDir();
    const program = createProgram({
      env: { TENURE_DATA_DIR: dir, ...env },
      stdout: nowhere(),
      stderr: nowhere(),
    });
    const done = program.parseAsync(['node', 'tenure', 'token', 'revoke', '--user', 'u']);
    await expect(done).rejects.toThrow(/REDIS_URL(?!.*hidden)/su);
    expect(await listed(dir)).toEqual([]);
  });

  it('fails when Redis is not there, instead of saying that it is done', async () => {
    await expect(
      revoke(freshDir(), '--user', 'u', '--redis-url', 'redis://127.0.0.1:1'),
    ).rejects.toThrow();
  });
});
