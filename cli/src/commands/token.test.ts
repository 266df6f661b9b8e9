import { createPublicKey } from 'node:crypto';
import { mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { devTokenKeyFile, loadOrCreateDevTokenKey } from '@tenure/process';
import jwt from 'jsonwebtoken';
import { createProgram } from '../program.js';

async function run(dataDir: string, ...args: readonly string[]): Promise<string> {
  let printed = '';
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      printed += chunk.toString();
      done();
    },
  });
  const context = {
    env: { TENURE_DATA_DIR: dataDir },
    stdout: sink,
    stderr: new Writable({
      write: (_c, _e, done) => {
        done();
      },
    }),
  };
  await createProgram(context).parseAsync(['node', 'tenure', 'token', ...args]);
  return printed;
}

const freshDir = (): string => mkdtempSync(path.join(tmpdir(), 'tenure-token-'));

describe('tenure token', () => {
  it('prints one token, signed by the development key, with the scope and roles of the options', async () => {
    const dir = freshDir();
    const printed = await run(
      dir,
      '--user',
      'olga',
      '--project',
      'p1',
      '--role',
      'member',
      '--role',
      'reader',
      '--ttl',
      '90s',
    );
    const key = createPublicKey({
      key: loadOrCreateDevTokenKey(devTokenKeyFile(dir)),
      format: 'jwk',
    });
    const claims = jwt.verify(printed.trimEnd(), key, {
      algorithms: ['ES256'],
      issuer: 'tenure-dev',
      audience: 'tenure',
    }) as jwt.JwtPayload;
    expect(printed.split('\n')).toHaveLength(2);
    expect(claims).toMatchObject({ sub: 'olga', project_id: 'p1', roles: ['member', 'reader'] });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(90);
  });

  it('keeps the key to its owner', async () => {
    const dir = freshDir();
    await run(dir, '--user', 'u', '--unscoped');
    expect(statSync(devTokenKeyFile(dir)).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['no scope', ['--user', 'u']],
    ['two scopes', ['--user', 'u', '--project', 'p', '--system', 'all']],
    ['no user', ['--project', 'p']],
  ])('refuses %s', async (_what, args) => {
    await expect(run(freshDir(), ...args)).rejects.toThrow();
  });
});

describe('an id that nobody can have', () => {
  it.each([
    ['--project', ['--user', 'olga', '--project', ' a']],
    ['--user', ['--user', 'ol\u200bga', '--unscoped']],
    ['--domain', ['--user', 'olga', '--domain', 'd\n']],
  ])('makes no token: %s', async (option, args) => {
    await expect(run(freshDir(), ...args)).rejects.toThrow(`${option}: an id has`);
  });
});
